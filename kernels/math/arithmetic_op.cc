// Sums, differences and products, element by element.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

void AddGradient(GradientBuilder& g) {
  SetBroadcastGradients(g, g.dy(0), g.dy(0));
}

OP("Add")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}")
    .Shape(BroadcastOfInputs())
    .Gradient(AddGradient)
    .Doc("x + y, element by element with broadcasting; strings are joined.");

OP("AddV2")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, "
        "complex128}")
    .Commutative()
    .Aggregate()
    .Shape(BroadcastOfInputs())
    .Gradient(AddGradient)
    .Doc("x + y, element by element with broadcasting.");

OP("Sub")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, "
        "uint64}")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) { SetBroadcastGradients(g, g.dy(0), g.Op("Neg", g.dy(0))); })
    .Doc("x - y, element by element with broadcasting.");

OP("Mul")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
        "complex128}")
    .Commutative()
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      SetBroadcastGradients(g, g.Op("Mul", g.dy(0), Conj(g, g.x(1))), g.Op("Mul", Conj(g, g.x(0)), g.dy(0)));
    })
    .Doc("x * y, element by element with broadcasting.");

OP("Neg")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Neg", g.dy(0)); })
    .Doc("-x, element by element.");

}  // namespace
}  // namespace dfrun
