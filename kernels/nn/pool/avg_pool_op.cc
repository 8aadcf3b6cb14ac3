// Average pooling and its gradient, in two and three dimensions.
#include "kernels/nn/pool/pool_cost.h"
#include "kernels/nn/pool/pool_inference.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

AttrMap WindowsOf(GradientBuilder& g) {
  AttrMap attrs;
  for (const char* name : {"ksize", "strides", "padding", "data_format"}) attrs.Set(name, *g.attrs().Find(name));
  return attrs;
}

// `op` of the input's sizes and dy.
GradientFn Backprop(const char* op) {
  return [op](GradientBuilder& g) { g.dx(0) = g.Op(op, WindowsOf(g), g.Op("Shape", g.x(0)), g.dy(0)); };
}
// The gradient op is linear in grad, and `op` is its adjoint.
GradientFn Adjoint(const char* op) {
  return [op](GradientBuilder& g) { g.dx(1) = g.Op(op, WindowsOf(g), g.dy(0)); };
}

void Flat(OpBuilder& op) {
  op.Output("output: T").Attr("ksize: list(int) >= 4").Attr("strides: list(int) >= 4");
  op.Attr("padding: {'SAME', 'VALID'}").Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'");
  op.Attr("T: {half, bfloat16, float, double}");
}
void Deep(OpBuilder& op) {
  op.Output("output: T").Attr("ksize: list(int) >= 5").Attr("strides: list(int) >= 5");
  op.Attr("padding: {'SAME', 'VALID'}").Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'");
  op.Attr("T: {half, bfloat16, float, double}");
}
void SizesAndGrad(OpBuilder& op) {
  op.Input("orig_input_shape: int32").Input("grad: T");
}

}  // namespace

OP("AvgPool")
    .Input("value: T")
    .As(&Flat)
    .Shape(&AveragePoolOutputShape)
    .Gradient(Backprop("AvgPoolGrad"))
    .Cost(PoolCost())
    .Rows(RowsOfInputs({0}))
    .Doc("The mean of each window; padding does not count.");
OP("AvgPoolGrad")
    .As(&SizesAndGrad)
    .As(&Flat)
    .Shape(&AvgPoolGradShape<4>)
    .Gradient(Adjoint("AvgPool"))
    .Cost(PoolGradCost(1))
    .Doc("The gradient of AvgPool by its input, whose shape orig_input_shape gives.");

OP("AvgPool3D")
    .Input("input: T")
    .As(&Deep)
    .Shape(&AveragePoolOutputShape)
    .Gradient(Backprop("AvgPool3DGrad"))
    .Cost(PoolCost())
    .Rows(RowsOfInputs({0}))
    .Doc("The mean of each window of volumes; padding does not count.");
OP("AvgPool3DGrad")
    .As(&SizesAndGrad)
    .As(&Deep)
    .Shape(&AvgPoolGradShape<5>)
    .Gradient(Adjoint("AvgPool3D"))
    .Cost(PoolGradCost(1))
    .Doc("The gradient of AvgPool3D by its input, whose shape orig_input_shape gives.");

}  // namespace dfrun
