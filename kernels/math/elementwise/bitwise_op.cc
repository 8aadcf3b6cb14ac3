// Operations on the bits of integers, element by element.
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

OP("BitwiseAnd").As(BinaryOp<kIntegers>).Commutative().NotDifferentiable().Doc("The bits that x and y both have.");
OP("BitwiseOr").As(BinaryOp<kIntegers>).Commutative().NotDifferentiable().Doc("The bits that x or y has.");
OP("BitwiseXor").As(BinaryOp<kIntegers>).Commutative().NotDifferentiable().Doc("The bits that one of x and y has.");
OP("LeftShift")
    .As(BinaryOp<kIntegers>)
    .NotDifferentiable()
    .Doc("The bits of x moved to the left by y, which is held within the width.");
OP("RightShift")
    .As(BinaryOp<kIntegers>)
    .NotDifferentiable()
    .Doc("The bits of x moved to the right by y, which is held within the width; the sign stays.");
OP("Invert").As(UnaryOp<kIntegers>).NotDifferentiable().Doc("The bits that x does not have.");

OP("PopulationCount")
    .Input("x: T")
    .Output("y: uint8")
    .Attr(kIntegers)
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("The number of bits of x that are set.");

}  // namespace
}  // namespace dfrun
