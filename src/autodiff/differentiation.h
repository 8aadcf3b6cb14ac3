// One call of AddGradients(): walks the graph against its edges, loop by loop, and gathers the gradients that reach
// each value.
#ifndef DFRUN_SRC_AUTODIFF_DIFFERENTIATION_H_
#define DFRUN_SRC_AUTODIFF_DIFFERENTIATION_H_

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/autodiff/dependency.h"
#include "src/autodiff/gradient_scope.h"
#include "src/autodiff/gradient_value.h"
#include "src/base/threads.h"

namespace dfrun {

class Differentiation {
 public:
  // `scope` is unlike all others of the graph.
  Differentiation(Graph& graph, std::span<const Output> ys, std::span<const Output> xs, const GradientOptions& options,
                  std::string scope);

  Result<std::vector<GradientValue>> Run();

 private:
  // A value that is read in a loop without an Enter, with the gradients that it gets there.
  struct Captured {
    Output value;
    std::vector<GradientValue> parts;
  };
  // The gradient of a frame in the making.
  struct FrameGradient {
    GradientScope scope;
    std::vector<Captured> captured;
  };
  // A variable of a loop whose gradient is one of the gradient's loop.
  struct Active {
    const LoopVariable* variable;
    GradientScope::Variable gradient;
  };

  Status Seed();
  Output Ones(NodeAdder& adder, Output y) const;
  Status CheckFrames() const;
  NodeAdder AdderFor(FrameGradient& current, NodeId node, std::string colocate_with) const;
  // Adds a part of the gradient of `value`, which is alive in branch `from`. No-op where the value is on no path.
  Status AddPart(FrameGradient& current, Output value, GradientValue part, BranchId from);
  // Returns the sums of the gradients that reached the outputs of a node.
  Result<std::vector<GradientValue>> SumOutputs(FrameGradient& current, NodeId id);
  Result<GradientValue> Sum(FrameGradient& current, std::vector<GradientValue>& parts, Output value);

  // Visits all of a frame, from its end to its begin.
  Status Walk(FrameGradient& current, int32_t frame);
  Status Visit(FrameGradient& current, NodeId id);
  Status VisitOp(FrameGradient& current, NodeId id, std::vector<GradientValue> dys);
  // Returns the op whose gradient function serves the node; an error where there is none.
  Result<const OpDef*> RuleOf(NodeId id) const;
  // Returns InvalidArgument where this is so of an input that depends on an x and an output that a gradient has
  // `reached`.
  Status Refuse(NodeId id, const std::vector<bool>& reached, FunctionRef<bool(int input, int output)> is_so) const;

  // conditional_gradients.cc.
  Status VisitSwitch(FrameGradient& current, NodeId id, const std::vector<GradientValue>& dys);
  Status VisitMerge(FrameGradient& current, NodeId id, const GradientValue& dy);
  // `part`, alive in branch `from`, and zeros like `value` where only branch `to` holds.
  Result<GradientValue> Lift(FrameGradient& current, GradientValue part, BranchId from, BranchId to, Output value);
  Result<GradientValue> MergeTwo(NodeAdder& adder, GradientValue a, GradientValue b, Output value);
  // Rows of no index, alive where the literals hold; nothing where the rows' shape is not known.
  Result<std::optional<GradientValue>> NoRows(FrameGradient& current, NodeAdder& adder, const GradientValue& like,
                                              const std::vector<Branches::PathCondition>& literals);

  // stack_gradients.cc: a value pushed in one loop and popped in another, the first one's gradient. The gradient of the
  // pop is pushed on a stack of its own, and popped where the push is differentiated; that loop's gradient waits for
  // the other's. Both go through the iterations in the order that the stack needs, since each is its loop's backwards.
  Status VisitPop(FrameGradient& current, NodeId id, const GradientValue& dy);
  Status VisitPush(FrameGradient& current, NodeId id, const GradientValue& dy);
  Status Connect(NodeId push, NodeId pop);
  std::vector<NodeId> FinishedBefore(int32_t frame) const;

  // loop_gradients.cc
  Status VisitLoop(FrameGradient& outer, int32_t frame);
  Result<std::vector<const LoopVariable*>> ActiveVariables(const ForwardLoop& loop) const;
  bool IsReached(int32_t frame, const std::vector<const LoopVariable*>& active) const;
  Result<Active> BeginVariable(FrameGradient& outer, FrameGradient& inner, const LoopVariable& variable);
  Status EndVariable(FrameGradient& inner, const Active& active);
  // Returns the sum over all iterations of the gradients that reached a value which is the same in all.
  Result<GradientValue> Accumulate(FrameGradient& outer, FrameGradient& inner, Output outer_value,
                                   std::vector<GradientValue>& parts, Output inner_value);
  Result<Output> Zeros(NodeAdder& adder, Output like, DType dtype);
  Result<Output> Dense(NodeAdder& adder, const GradientValue& value, Output like);

  // The connection of a loop's gradient to those of other loops by stacks.
  struct LoopState {
    bool was_visited = false;
    bool is_reached = false;      // a gradient stack holds the gradient of a push in it
    bool is_awaited = false;      // another's gradient waits for this one's
    NodeId finished = -1;         // the node that marks its end, where it is awaited
    std::vector<int32_t> awaits;  // frames beside it
  };

  std::vector<GradientValue>& PartsOf(Output value) { return parts_[dependency_.Index(value)]; }

  Graph& graph_;
  const std::span<const Output> ys_;
  const std::span<const Output> xs_;
  const GradientOptions& options_;
  const std::string scope_;
  const Dependency dependency_;
  std::optional<Consumers> consumers_;  // set where there are loops
  std::unique_ptr<ForwardGraph> forward_;
  std::vector<std::vector<GradientValue>> parts_;       // by Dependency::Index(), in the order in which they came
  std::vector<LoopState> loops_;                        // by frame
  std::unordered_map<NodeId, Output> gradient_stacks_;  // by push: the gradient that reached its pop
};

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_DIFFERENTIATION_H_
