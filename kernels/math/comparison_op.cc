// Comparisons and logic, element by element.
#include "src/framework/inference.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("Less")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: realnumbertype")
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("x < y, element by element with broadcasting.");

OP("LessEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: realnumbertype")
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("x <= y, element by element with broadcasting.");

OP("Greater")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: realnumbertype")
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("x > y, element by element with broadcasting.");

OP("GreaterEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: realnumbertype")
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("x >= y, element by element with broadcasting.");

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

OP("Equal")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: type")
    .Attr("incompatible_shape_error: bool = true")
    .Commutative()
    .Shape(EqualityShape)
    .NotDifferentiable()
    .Doc("x == y, element by element with broadcasting.");

OP("NotEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: type")
    .Attr("incompatible_shape_error: bool = true")
    .Commutative()
    .Shape(EqualityShape)
    .NotDifferentiable()
    .Doc("x != y, element by element with broadcasting.");

OP("LogicalAnd")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .Commutative()
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("True where both are.");

OP("LogicalOr")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .Commutative()
    .Shape(BroadcastOfInputs())
    .NotDifferentiable()
    .Doc("True where either is.");

OP("LogicalNot")
    .Input("x: bool")
    .Output("y: bool")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("True where the input is false.");

}  // namespace
}  // namespace dfrun
