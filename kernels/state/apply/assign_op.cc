// Assignment to variables: whole, and by a sum or difference.
#include "kernels/state/state_ops.h"

namespace dfrun {
namespace {

Status AssignShape(InferenceContext& c) {
  DF_ASSIGN(const bool validate, c.attr<bool>("validate_shape"));
  if (!validate) {
    c.set_output(0, c.input(1));
    return Status();
  }
  return SameShapes({0, 1})(c);
}

void AssignBy(OpBuilder& op) {
  op.Input("ref: Ref(T)").Input("value: T").Output("output_ref: Ref(T)").Attr(kNumericT);
  op.Attr("use_locking: bool = false").GradientEnds(GradientFlow::kState).Shape(SameShapes({0, 1})).Cost(AssignCost(1));
}

void AssignVariableBy(OpBuilder& op) {
  op.Input("resource: resource").Input("value: dtype").Attr("dtype: type");
  op.Stateful().GradientEnds(GradientFlow::kState).Shape(&HandleTakesValue).Cost(AssignCost(1));
}

}  // namespace

OP("Assign")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("validate_shape: bool = true")
    .Attr("use_locking: bool = true")
    .AllowsUninitializedInput()
    .GradientEnds(GradientFlow::kState)
    .Shape(&AssignShape)
    .Cost(AssignCost(0))
    .Doc("Makes `value` the variable's value; the output is the variable after that.");

OP("AssignAdd").As(AssignBy).Doc("Adds `value` to the variable in place.");
OP("AssignSub").As(AssignBy).Doc("Subtracts `value` from the variable in place.");

OP("AssignVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Attr("validate_shape: bool = false")
    .Stateful()
    .GradientEnds(GradientFlow::kState)
    .Shape(&HandleTakesValue)
    .Cost(AssignCost(0))
    .Doc("Makes `value` the variable's value.");

OP("AssignAddVariableOp").As(AssignVariableBy).Doc("Adds `value` to the variable in place.");
OP("AssignSubVariableOp").As(AssignVariableBy).Doc("Subtracts `value` from the variable in place.");

}  // namespace dfrun
