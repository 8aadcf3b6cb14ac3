// Images of another size.
#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// Images [batch, height, width, channels] with the height and width that input 1 holds.
Status ResizedShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape x, c.WithRank(0, 4));
  DF_ASSIGN(const auto size, KnownIntVector(c, 1, "the size"));
  DF_TRY(c.input(1).Merge(PartialShape({2})).status().Annotate("the size"));
  const PartialShape sizes = c.input_as_shape(1);
  for (int d = 0; d < 2; ++d) {
    if (size && (*size)[d] < 0) return InvalidArgument("the size has the negative entry ", (*size)[d]);
    x.set_dim(d + 1, sizes.known_rank() ? sizes.dim(d) : PartialShape::kUnknown);
  }
  c.set_output(0, std::move(x));
  return Status();
}

void Coordinates(OpBuilder& op) {
  op.Attr("align_corners: bool = false").Attr("half_pixel_centers: bool = false");
}

AttrMap CoordinateAttrs(GradientBuilder& g) {
  return {{"align_corners", g.attr<bool>("align_corners")}, {"half_pixel_centers", g.attr<bool>("half_pixel_centers")}};
}

Output HeightAndWidth(GradientBuilder& g, Output images) {
  return g.Op("Slice", g.Op("Shape", images), g.Const<int32_t>({1}), g.Const<int32_t>({2}));
}

OP("ResizeBilinear")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}")
    .As(Coordinates)
    .Shape(ResizedShape)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("ResizeBilinearGrad", CoordinateAttrs(g), g.dy(0), g.x(0)); })
    .Cost(ElementwiseCost(8))
    .Rows(RowsOfInputs({0}))
    .Doc("The images at another height and width; a pixel is interpolated between the four nearest ones.");

OP("ResizeBilinearGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, bfloat16, half, double}")
    .As(Coordinates)
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape dy, c.WithRank(0, 4));
      DF_ASSIGN(PartialShape x, c.WithRank(1, 4));
      x.set_dim(0, dy.dim(0));
      x.set_dim(3, dy.dim(3));
      c.set_output(0, std::move(x));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("ResizeBilinear", CoordinateAttrs(g), g.dy(0), HeightAndWidth(g, g.x(0)));
    })
    .GradientEnds(GradientFlow::kZero, {"original_image"})
    .Cost(ScanCost(0, 8))
    .Doc("The gradient of ResizeBilinear's images.");

OP("ResizeNearestNeighbor")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: T")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .As(Coordinates)
    .Shape(ResizedShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("ResizeNearestNeighborGrad", CoordinateAttrs(g), g.dy(0), HeightAndWidth(g, g.x(0)));
    })
    .Cost(CopyCost())
    .Rows(RowsOfInputs({0}))
    .Doc("The images at another height and width; a pixel is the nearest one.");

OP("ResizeNearestNeighborGrad")
    .Input("grads: T")
    .Input("size: int32")
    .Output("output: T")
    .Attr("T: {uint8, int8, int32, half, float, double, bfloat16}")
    .As(Coordinates)
    .Shape(ResizedShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("ResizeNearestNeighbor", CoordinateAttrs(g), g.dy(0), HeightAndWidth(g, g.x(0)));
    })
    .Cost(ScanCost())
    .Doc("The gradient of ResizeNearestNeighbor's images, whose height and width is `size`.");

}  // namespace
}  // namespace dfrun
