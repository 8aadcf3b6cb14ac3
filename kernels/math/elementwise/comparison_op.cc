// Comparisons and logic, element by element.
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

OP("Less").As(BinaryTest<kRealNumbers>).Doc("x < y, element by element with broadcasting.");
OP("LessEqual").As(BinaryTest<kRealNumbers>).Doc("x <= y, element by element with broadcasting.");
OP("Greater").As(BinaryTest<kRealNumbers>).Doc("x > y, element by element with broadcasting.");
OP("GreaterEqual").As(BinaryTest<kRealNumbers>).Doc("x >= y, element by element with broadcasting.");

// Shapes that do not broadcast are unequal as a whole where the attr says that they are no error.
Status EqualityShape(InferenceContext& c) {
  DF_ASSIGN(const bool is_error, c.attr<bool>("incompatible_shape_error"));
  Result<PartialShape> shape = BroadcastShapes(c.input(0), c.input(1));
  if (is_error) {
    DF_TRY(shape.status());
    c.set_output(0, *std::move(shape));
  } else if (!shape.ok()) {
    c.set_output(0, PartialShape::Scalar());
  } else if (c.input(0).IsFullyDefined() && c.input(1).IsFullyDefined()) {
    c.set_output(0, *std::move(shape));
  }
  return Status();
}

constexpr char kAnyType[] = "T: type";

void Equality(OpBuilder& op) {
  op.As(BinaryTest<kAnyType>).Attr("incompatible_shape_error: bool = true").Commutative().Shape(EqualityShape);
}

OP("Equal").As(Equality).Doc("x == y, element by element with broadcasting.");
OP("NotEqual").As(Equality).Doc("x != y, element by element with broadcasting.");

OP("ApproximateEqual")
    .As(BinaryTest<kNumbers>)
    .Attr("tolerance: float = 0.00001")
    .Commutative()
    .Shape(SameAsAllInputs)
    .Rows(RowsOfElements())
    .Doc("|x - y| < tolerance, for tensors of one shape.");

void LogicalOp(OpBuilder& op) {
  op.Input("x: bool").Input("y: bool").Output("z: bool").Commutative();
  op.Shape(BroadcastOfInputs()).Rows(RowsOfElements()).NotDifferentiable().Total();
}

OP("LogicalAnd").As(LogicalOp).Doc("True where both are.");
OP("LogicalOr").As(LogicalOp).Doc("True where either is.");

OP("LogicalNot")
    .Input("x: bool")
    .Output("y: bool")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Total()
    .Rows(RowsOfElements())
    .Doc("True where the input is false.");

}  // namespace
}  // namespace dfrun
