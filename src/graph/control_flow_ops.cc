// The primitives of conditionals and loops. The executor runs these nodes itself, and decides which values are dead.
#include "src/framework/op/op.h"
#include "src/graph/shape_inference.h"

namespace dfrun {
namespace {

Status SwitchShape(InferenceContext& c) {
  DF_TRY(c.WithRank(1, 0).status());
  c.set_output(0, c.input(0));
  c.set_output(1, c.input(0));
  return Status();
}

Status MergeShape(InferenceContext& c) {
  PartialShape common = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) common = CommonShape(common, c.input(i));
  c.set_output(0, std::move(common));
  c.set_output(1, PartialShape::Scalar());
  return Status();
}

void Switch(OpBuilder& op) {
  op.Attr("T: type").Shape(&SwitchShape).ControlFlow(ControlFlowKind::kSwitch).PassesOn().GradientByAutodiff();
}

void Merge(OpBuilder& op) {
  op.Output("value_index: int32").Attr("T: type").Attr("N: int >= 1").Shape(&MergeShape);
  op.ControlFlow(ControlFlowKind::kMerge).PassesOn().GradientByAutodiff();
}

void Enter(OpBuilder& op) {
  op.Attr("T: type").Attr("frame_name: string").Attr("is_constant: bool = false").Attr("parallel_iterations: int = 10");
  op.Shape(SameAsInput(0)).ControlFlow(ControlFlowKind::kEnter).PassesOn().GradientByAutodiff();
}

template <ControlFlowKind kKind>
void HandsOn(OpBuilder& op) {
  op.Attr("T: type").Shape(SameAsInput(0)).ControlFlow(kKind).PassesOn().GradientByAutodiff();
}

OP("Switch")
    .Input("data: T")
    .Input("pred: bool")
    .Output("output_false: T")
    .Output("output_true: T")
    .As(Switch)
    .Doc("Hands `data` to output_true where `pred` is true, else to output_false; the other output is dead.");

OP("RefSwitch")
    .Input("data: Ref(T)")
    .Input("pred: bool")
    .Output("output_false: Ref(T)")
    .Output("output_true: Ref(T)")
    .As(Switch)
    .AllowsUninitializedInput()
    .Doc("Switch of a reference.");

OP("Merge")
    .Input("inputs: N * T")
    .Output("output: T")
    .As(Merge)
    .Doc("Hands on the one input that is not dead, and says which it is.");

OP("RefMerge").Input("inputs: Ref(N * T)").Output("output: Ref(T)").As(Merge).Doc("Merge of references.");

OP("Enter")
    .Input("data: T")
    .Output("output: T")
    .As(Enter)
    .Doc(
        "Hands its input to the first iteration of the frame `frame_name`, or to all of them where is_constant; at "
        "most "
        "parallel_iterations of them are under way at a time.");

OP("RefEnter").Input("data: Ref(T)").Output("output: Ref(T)").As(Enter).Doc("Enter of a reference.");

OP("Exit")
    .Alias("Leave")
    .Input("data: T")
    .Output("output: T")
    .As(HandsOn<ControlFlowKind::kExit>)
    .Doc("Hands its input out of the frame.");

OP("RefExit")
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .As(HandsOn<ControlFlowKind::kExit>)
    .Doc("Exit of a reference.");

OP("NextIteration")
    .Input("data: T")
    .Output("output: T")
    .As(HandsOn<ControlFlowKind::kNextIteration>)
    .Doc("Hands its input to the next iteration of its frame.");

OP("RefNextIteration")
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .As(HandsOn<ControlFlowKind::kNextIteration>)
    .Doc("NextIteration of a reference.");

OP("LoopCond")
    .Input("input: bool")
    .Output("output: bool")
    .Shape([](InferenceContext& c) {
      DF_TRY(c.WithRank(0, 0).status());
      c.set_output(0, PartialShape::Scalar());
      return Status();
    })
    .ControlFlow(ControlFlowKind::kLoopCond)
    .NotDifferentiable()
    .Doc("The condition on which a loop goes on.");

OP("ControlTrigger")
    .ControlFlow(ControlFlowKind::kControlTrigger)
    .NotDifferentiable()
    .Doc("Runs when all its control inputs have come, dead ones too.");

}  // namespace
}  // namespace dfrun
