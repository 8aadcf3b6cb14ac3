#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// [height, width, channels].
Status DecodedShape(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 0).status());
  DF_ASSIGN(const int64_t channels, c.attr<int64_t>("channels"));
  if (channels < 0) return InvalidArgument("channels must not be negative, but is ", channels);
  c.set_output(0, PartialShape({-1, -1, channels == 0 ? -1 : channels}));
  return Status();
}

}  // namespace

OP("DecodePng")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16} = DT_UINT8")
    .NotDifferentiable()
    .Shape(&DecodedShape)
    .Doc("The pixels of a PNG file, or of a JPEG file, with 1, 3 or 4 channels; 0: as many as the file has.");

OP("DecodeJpeg")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Attr("ratio: int = 1")
    .Attr("fancy_upscaling: bool = true")
    .Attr("try_recover_truncated: bool = false")
    .Attr("acceptable_fraction: float = 1.0")
    .Attr("dct_method: string = ''")
    .NotDifferentiable()
    .Shape(&DecodedShape)
    .Doc(
        "The pixels of a JPEG file, or of a PNG file, with 1 or 3 channels; 0: as many as the file has. "
        "acceptable_fraction "
        "has no effect: the rows that a truncated file lacks are always made up.");

OP("EncodePng")
    .Input("image: T")
    .Output("contents: string")
    .Attr("compression: int = -1")
    .Attr("T: {uint8, uint16} = DT_UINT8")
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape image, c.WithRankAtLeast(0, 3));
      if (!image.known_rank()) return Status();
      c.set_output(0, PartialShape(std::vector<int64_t>(image.dims().begin(), image.dims().end() - 3)));
      return Status();
    })
    .Cost(ScanCost())
    .Doc("Images [..., height, width, 1 to 4 channels] as PNG files.");

}  // namespace dfrun
