// Stacks, in which a loop keeps values for its gradient.
#include "kernels/state/device_resource_op.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void MakesStack(OpBuilder& op) {
  op.Attr("elem_type: type").Attr("stack_name: string = ''").Stateful().NotDifferentiable();
}

void Pushes(OpBuilder& op) {
  op.Input("elem: T").Output("output: T").Attr("T: type").Attr("swap_memory: bool = false").Shape(SameAsInput(1));
  op.GradientByAutodiff().Total().Cost(NoCost()).Doc(
      "Puts `elem` on the stack, and hands it on. With swap_memory the stack keeps it in host memory, wherever the "
      "device has its own.");
}

void Pops(OpBuilder& op) {
  op.Output("elem: elem_type").Attr("elem_type: type").GradientByAutodiff().Cost(NoCost());
  op.Shape([](InferenceContext& c) {
    const AttrValue* known = c.attrs().Find("_elem_shape");  // set by autodiff, which knows the shape pushed
    if (known != nullptr && known->get<PartialShape>() != nullptr) c.set_output(0, *known->get<PartialShape>());
    return Status();
  });
  op.Doc("Takes the newest element off the stack; InvalidArgument if there is none.");
}

OP("Stack")
    .Output("handle: Ref(string)")
    .As(MakesStack)
    .Shape(ReferenceHandleShape)
    .Cost(NoCost())
    .Doc("A stack of the step, without a bound.");
OP("StackPush").Input("handle: Ref(string)").As(Pushes);
OP("StackPop").Input("handle: Ref(string)").As(Pops);
OP("StackClose").Input("handle: Ref(string)").NotDifferentiable().Cost(NoCost()).Doc("Forgets the stack's elements.");

OP("StackV2")
    .Input("max_size: int32")
    .Output("handle: resource")
    .As(MakesStack)
    .Shape(ScalarOutputs())
    .Cost(NoCost())
    .Doc("A stack of the step, of at most max_size elements; a negative one is no bound.");
OP("StackPushV2").Input("handle: resource").As(Pushes).Stateful();
OP("StackPopV2").Input("handle: resource").As(Pops).Stateful();
OP("StackCloseV2")
    .Input("handle: resource")
    .Stateful()
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("Forgets the stack's elements.");

}  // namespace
}  // namespace dfrun
