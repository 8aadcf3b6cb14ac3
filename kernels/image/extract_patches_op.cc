// Patches of images as the depth of pixels.
#include "kernels/image/patches.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

OP("ExtractImagePatches")
    .Input("images: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
        "complex128, bool}")
    .Attr("padding: {'SAME', 'VALID'}")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PatchAttrs attrs, PatchAttrs::Read(c.attrs()));
      DF_ASSIGN(const PartialShape x, c.WithRank(0, 4));
      PartialShape y = x;
      for (int d = 1; d < 3; ++d) {
        if (x.dim(d) < 0) continue;
        DF_ASSIGN(const PatchDim dim, attrs.Dim(d, x.dim(d)));
        y.set_dim(d, dim.output);
      }
      int64_t depth = x.dim(3);
      for (int d = 1; d < 3; ++d) {
        if (depth >= 0 && __builtin_mul_overflow(depth, attrs.size(d), &depth))
          return InvalidArgument("the depth of patches of ", x, " is beyond int64");
      }
      y.set_dim(3, depth);
      c.set_output(0, std::move(y));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      // Each pixel gets the gradients of its copies in the patches. Patching the pixels' numbers in the same way finds
      // them. 0 is the padding.
      const AttrMap attrs = {{"ksizes", g.attr<std::vector<int64_t>>("ksizes")},
                             {"strides", g.attr<std::vector<int64_t>>("strides")},
                             {"rates", g.attr<std::vector<int64_t>>("rates")},
                             {"padding", g.attr<std::string>("padding")}};
      const auto int64 = [&](int64_t value) { return g.Const(Tensor::Scalar<int64_t>(value)); };
      const auto vector = [&](int64_t value) { return g.Const<int64_t>({value}); };
      const Output axis = g.Const(Tensor::Scalar<int32_t>(0));
      const Output shape = g.Op("Shape", AttrMap{{"out_type", DType::kInt64}}, g.x(0));
      const AddedNode sizes = g.Op("Unpack", AttrMap{{"num", 4}}, shape);
      const Output pixels = g.Op("Mul", sizes[1], sizes[2]);
      const Output count = g.Op("AddV2", pixels, int64(1));
      const Output numbers = g.Op("Range", int64(1), count, int64(1));
      const Output image_shape =
          g.Op("ConcatV2", AttrMap{{"N", 3}}, vector(1), g.Op("Slice", shape, vector(1), vector(2)), vector(1), axis);
      const Output named = g.Op("ExtractImagePatches", attrs, g.Op("Reshape", numbers, image_shape));
      const Output flat = g.Op("Reshape", named, g.Const<int32_t>({-1}));
      // [batch, positions, channels] to [positions, batch, channels], added up by pixel, without the padding, and back.
      const Output positions = g.Op("Size", AttrMap{{"out_type", DType::kInt64}}, named);
      const Output dy = g.Op("Reshape", g.dy(0), g.AddNode("Pack", {sizes[0], positions, sizes[3]}, {}));
      const Output swap = g.Const<int32_t>({1, 0, 2});
      const Output sums = g.Op("UnsortedSegmentSum", g.Op("Transpose", dy, swap), flat, count);
      const Output zero = g.Const<int64_t>({1, 0, 0});
      const Output inside = g.Op("Slice", sums, zero, g.Const<int64_t>({-1, -1, -1}));
      g.dx(0) = g.Op("Reshape", g.Op("Transpose", inside, swap), shape);
    })
    .Cost(CopyCost())
    .Rows(RowsOfInputs({0}))
    .Doc("For each position of a sliding window, the pixels in it as the depth of one pixel.");

}  // namespace
}  // namespace dfrun
