// Quotients and remainders, element by element.
#include "kernels/math/functions/constant_integers.h"
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

void DivGradient(GradientBuilder& g) {
  const Output x = Conj(g, g.x(0));
  const Output y = Conj(g, g.x(1));
  const Output y_grad = g.Op("Mul", g.dy(0), g.Op("RealDiv", g.Op("RealDiv", g.Op("Neg", x), y), y));
  SetBroadcastGradients(g, g.Op("RealDiv", g.dy(0), y), y_grad);
}

OP("Div")
    .As(BinaryOp<kUnquantized>)
    .TotalButForIntegers()
    .Gradient(DivGradient)
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kDiv))
    .ConstantValue(&BinaryConstant<&QuotientOf>)
    .Doc("x / y, element by element; of integers, rounded towards zero.");

OP("RealDiv")
    .As(BinaryOp<kUnquantized>)
    .TotalButForIntegers()
    .Gradient(DivGradient)
    .ComputesEach(BinaryLoopOf(ElementwiseLoop::kDiv))
    .Doc("x / y, element by element.");

OP("DivNoNan")
    .As(BinaryOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output x = Conj(g, g.x(0));
      const Output y = Conj(g, g.x(1));
      const Output quotient = g.Op("DivNoNan", g.Op("DivNoNan", g.Op("Neg", x), y), y);
      SetBroadcastGradients(g, g.Op("DivNoNan", g.dy(0), y), g.Op("Mul", g.dy(0), quotient));
    })
    .Doc("x / y, and 0 where y is 0.");

OP("FloorDiv")
    .As(BinaryOp<kUnquantized>)
    .TotalButForIntegers()
    .NotDifferentiable()
    .ConstantValue(&BinaryConstant<&FloorQuotientOf>)
    .Doc("x / y rounded down.");
OP("TruncateDiv")
    .As(BinaryOp<kUnquantized>)
    .TotalButForIntegers()
    .NotDifferentiable()
    .Doc("x / y rounded towards zero.");

constexpr char kFloorModTypes[] =
    "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}";
constexpr char kModTypes[] = "T: {int32, int64, half, bfloat16, float, double}";

OP("FloorMod")
    .As(BinaryOp<kFloorModTypes>)
    .TotalButForIntegers()
    .Gradient([](GradientBuilder& g) {
      SetBroadcastGradients(g, g.dy(0), g.Op("Mul", g.dy(0), g.Op("Neg", g.Op("FloorDiv", g.x(0), g.x(1)))));
    })
    .ConstantValue(&BinaryConstant<&FloorRemainderOf>)
    .Doc("The remainder of x / y rounded down; it has the sign of y.");

void TruncatingRemainder(OpBuilder& op) {
  op.As(BinaryOp<kModTypes>)
      .TotalButForIntegers()
      .Gradient([](GradientBuilder& g) {
        SetBroadcastGradients(g, g.dy(0), g.Op("Mul", g.dy(0), g.Op("Neg", g.Op("TruncateDiv", g.x(0), g.x(1)))));
      })
      .Doc("The remainder of x / y rounded towards zero; it has the sign of x.");
}

OP("Mod").As(TruncatingRemainder);
OP("TruncateMod").As(TruncatingRemainder);

}  // namespace
}  // namespace dfrun
