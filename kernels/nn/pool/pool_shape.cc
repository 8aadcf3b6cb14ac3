#include "kernels/nn/pool/pool_shape.h"

namespace dfrun {
namespace {

WindowDim OfOne() {
  WindowDim d;
  d.input = d.output = 1;
  return d;
}

// Windows of one channel fit none too.
Result<WindowDim> ChannelDim(const WindowAttrs& attrs, int64_t channels) {
  const int c = attrs.format().channels();
  if (channels > 0 || attrs.ksize(c) > 1) return attrs.Dim(c, channels, attrs.ksize(c));
  WindowDim none = OfOne();
  none.input = none.output = 0;
  return none;
}

}  // namespace

Status CheckChannelWindows(const WindowAttrs& attrs) {
  const ImageFormat& format = attrs.format();
  const int c = format.channels();
  if (attrs.ksize(c) == 1 && attrs.stride(c) == 1) return Status();
  bool one_pixel = true;
  for (int i = 0; i < format.spatial; ++i) one_pixel = one_pixel && attrs.ksize(format.space(i)) == 1;
  if (one_pixel && attrs.ksize(c) == attrs.stride(c)) return Status();
  return InvalidArgument("windows of ", attrs.ksize(c), " channels with a stride of ", attrs.stride(c),
                         ": across channels, windows are of one pixel and side by side");
}

Result<PoolShape> PoolShape::Of(const WindowAttrs& attrs, const Shape& input) {
  const ImageFormat& format = attrs.format();
  if (input.rank() != format.rank()) {
    return InvalidArgument("pooling needs an input of rank ", format.rank(), ", but has ", input);
  }
  DF_TRY(CheckChannelWindows(attrs));
  PoolShape shape;
  const auto dim = [&](int i) { return attrs.Dim(i, input[i], attrs.ksize(i)); };
  shape.depth = OfOne();
  if (format.spatial == 3) {
    DF_ASSIGN(shape.depth, dim(format.depth()));
  }
  DF_ASSIGN(shape.height, dim(format.height()));
  DF_ASSIGN(shape.width, dim(format.width()));
  DF_ASSIGN(const WindowDim channels, ChannelDim(attrs, input[format.channels()]));
  shape.output =
      format.MakeShape(input[0], channels.output, shape.depth.output, shape.height.output, shape.width.output);
  DF_TRY(Shape::Create(shape.output.dims()).status());
  if (shape.in_pixels() > INT32_MAX) return InvalidArgument("pooling of ", shape.in_pixels(), " pixels in one image");
  if (channels.size > 1) {
    if (channels.input % channels.size != 0) {
      return InvalidArgument("windows of ", channels.size, " channels do not divide the ", channels.input,
                             " channels of ", input);
    }
    const int64_t pixels = shape.out_pixels();
    shape.images = format.channels_first ? input[0] : input[0] * pixels;
    shape.channels = format.channels_first ? pixels : 1;
    shape.depth = shape.height = OfOne();
    shape.width = channels;
  } else {
    shape.images = format.channels_first ? input[0] * channels.input : input[0];
    shape.channels = format.channels_first ? 1 : channels.input;
  }
  return shape;
}

}  // namespace dfrun
