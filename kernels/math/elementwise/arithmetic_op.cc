// Sums, differences and products, element by element.
#include "kernels/math/functions/constant_integers.h"
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

void AddGradient(GradientBuilder& g) {
  SetBroadcastGradients(g, g.dy(0), g.dy(0));
}

constexpr char kNumbersOrStrings[] =
    "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}";

OP("Add")
    .As(BinaryOp<kNumbersOrStrings>)
    .Gradient(AddGradient)
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kAdd))
    .ConstantValue(&BinaryConstant<&SumOf>)
    .Doc("x + y, element by element with broadcasting; strings are joined.");

OP("AddV2")
    .As(BinaryOp<kUnquantized>)
    .Commutative()
    .Aggregate()
    .Gradient(AddGradient)
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kAdd))
    .ConstantValue(&BinaryConstant<&SumOf>)
    .Doc("x + y, element by element with broadcasting.");

OP("Sub")
    .As(BinaryOp<kUnquantized>)
    .Gradient([](GradientBuilder& g) { SetBroadcastGradients(g, g.dy(0), g.Op("Neg", g.dy(0))); })
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kSub))
    .ConstantValue(&BinaryConstant<&DifferenceOf>)
    .Doc("x - y, element by element with broadcasting.");

OP("Mul")
    .As(BinaryOp<kUnquantized>)
    .Commutative()
    .Gradient([](GradientBuilder& g) {
      SetBroadcastGradients(g, g.Op("Mul", g.dy(0), Conj(g, g.x(1))), g.Op("Mul", Conj(g, g.x(0)), g.dy(0)));
    })
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kMul))
    .ConstantValue(&BinaryConstant<&ProductOf>)
    .Doc("x * y, element by element with broadcasting.");

OP("MulNoNan")
    .As(BinaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      SetBroadcastGradients(g, g.Op("MulNoNan", g.dy(0), Conj(g, g.x(1))), g.Op("MulNoNan", Conj(g, g.x(0)), g.dy(0)));
    })
    .Doc("x * y, and 0 where y is 0.");

OP("Neg")
    .As(UnaryOp<kSignedNumbers>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Neg", g.dy(0)); })
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kNeg))
    .ConstantValue(&UnaryConstant<&NegativeOf>)
    .Doc("-x, element by element.");

}  // namespace
}  // namespace dfrun
