// Variables: the ops that make, look at and forget them.
#include "kernels/state/device_resource_op.h"
#include "src/framework/op/op.h"

namespace dfrun {

namespace {

MaybeConstant VariableShapeConstant(const ConstantContext& c) {
  return ConstantSizes(c.handle_shape(0));
}

void MakesVariable(OpBuilder& op) {
  op.Output("ref: Ref(dtype)")
      .Attr("shape: shape")
      .Attr("dtype: type")
      .As(DeviceResource)
      .Shape(ShapeFromAttr("shape"));
}
}  // namespace

OP("VariableV2")
    .As(MakesVariable)
    .Variable()
    .Doc(
        "A variable of the device, found by container and shared_name (the node's name if empty). It has no value "
        "until one is assigned.");

OP("Variable").As(MakesVariable).Variable().Doc("The older name of VariableV2.");

OP("IsVariableInitialized")
    .Input("ref: Ref(dtype)")
    .Output("is_initialized: bool")
    .Attr("dtype: type")
    .AllowsUninitializedInput()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .OnlyReadsVariables()
    .Cost(NoCost())
    .Doc("True where the variable has a value.");

OP("VarHandleOp")
    .Output("resource: resource")
    .As(DeviceResource)
    .Attr("debug_name: string = ''")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Attr("allowed_devices: list(string) = []")
    .Shape(ScalarOutputs())
    .Variable()
    .HandleOf(HandleContent::Attr("shape"))
    .Doc("A handle to a variable of the device, found by container and shared_name (the node's name if empty).");

OP("ReadVariableOp")
    .Input("resource: resource")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .Shape(SameAsHandle(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.dy(0); })
    .OnlyReadsVariables()
    .Cost(NoCost())
    .Doc("The variable's value now: later updates do not change it.");

OP("DisableCopyOnRead")
    .Input("resource: resource")
    .Stateful()
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("Nothing: reads of the variable share its bytes until it changes, in every way of access.");

OP("VarIsInitializedOp")
    .Input("resource: resource")
    .Output("is_initialized: bool")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .OnlyReadsVariables()
    .Cost(NoCost())
    .Doc("True where the handle's variable has a value.");

OP("VariableShape")
    .Input("input: resource")
    .Output("output: out_type")
    .Attr("out_type: {int32, int64} = int32")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) {
      c.set_output(0, PartialShape({c.handle_shape(0).rank()}));
      return Status();
    })
    .OnlyReadsVariables()
    .ConstantValue(&VariableShapeConstant)
    .Cost(NoCost())
    .Doc("The shape of the variable's value.");

OP("DestroyResourceOp")
    .Input("resource: resource")
    .Attr("ignore_lookup_error: bool = true")
    .Stateful()
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("Takes the variable's value away; the memory is free once no snapshot holds it.");

}  // namespace dfrun
