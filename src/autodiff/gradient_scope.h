// The scope in which the nodes of a gradient run: outside of loops, or in the gradient of one loop.
//
// The gradient of a loop is a loop of as many iterations, which goes through those of the forward loop from the last to
// the first. Its nodes get the values of the forward loop in one of these ways:
//  * a value that is the same in all iterations (a constant, the value of an is_constant Enter) enters the gradient's
//    loop too;
//  * a result that only depends on a value's shape is worked out from the static shape, or saved instead of the value;
//  * every other value is pushed on a stack in every forward iteration and popped in every backward one: one stack a
//    value.
// Pushes follow each other in the order of iterations because the forward loop gets a counter whose increment waits for
// the iteration's pushes, and pushes wait for the counter; the backward loop counts down likewise. In a branch of a
// conditional a pushed value is dead where the branch is not taken, and the pop reads the stack's handle through
// Switches on the same predicates, which come from stacks themselves. A loop inside a loop uses the same stacks in all
// outer iterations: each way, the outer counter waits for the inner one.
//
// A graph may hold gradients of loops already. A pop in one is the gradient's end there: the gradient that reaches it
// is pushed on a stack of its own in the second gradient of that loop, which goes through the iterations in the order
// of the forward loop, and popped in the second gradient of the forward loop, which waits for the other and goes
// through them backwards. Source: white paper section 4.1 and 4.4; the semantics of TensorFlow's gradients of
// tf.while_loop.
#ifndef DFRUN_SRC_AUTODIFF_GRADIENT_SCOPE_H_
#define DFRUN_SRC_AUTODIFF_GRADIENT_SCOPE_H_

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/autodiff/branches.h"
#include "src/autodiff/forward_loops.h"
#include "src/autodiff/node_adder.h"

namespace dfrun {

// Facts about the graph as it was before the gradient.
struct ForwardGraph {
  ForwardGraph(const Graph& graph, FrameTree frames, const std::vector<NodeId>& order)
      : num_nodes(graph.num_nodes()),
        frames(std::move(frames)),
        branches(graph, this->frames, order),
        units(OrderUnits(graph, this->frames, order)) {}
  ForwardGraph(const ForwardGraph&) = delete;
  ForwardGraph& operator=(const ForwardGraph&) = delete;

  const NodeId num_nodes;
  const FrameTree frames;
  Branches branches;
  const std::vector<std::vector<FlowUnit>> units;
};

class GradientScope final : public NodeSink {
 public:
  struct Options {
    std::string name;  // all nodes' names begin with it
    bool swap_memory = false;
  };

  // Outside of loops.
  GradientScope(Graph& graph, ForwardGraph& forward, Options options);
  // The gradient of a loop whose frame lies directly in that of `parent`: begins both counters. Check status() first.
  // It begins when the nodes `after`, of the parent's scope, have run.
  GradientScope(GradientScope& parent, int32_t frame, const ForwardLoop& loop, std::vector<NodeId> after);

  const Status& status() const { return status_; }
  bool is_root() const { return parent_ == nullptr; }
  int32_t frame() const { return frame_; }

  // Adds a node that runs here; its inputs may be any values of forward frames at or around this one, and values added
  // here or in scopes around it.
  Result<NodeId> AddNode(NodeSpec spec) override;
  // The value as nodes of this scope can read it.
  Result<Output> Get(Output value);
  // The value, dead where not all of these hold.
  Result<Output> Gate(Output value, const std::vector<Branches::PathCondition>& literals);

  // A variable of the gradient's loop. `inside` is its value in an iteration, `result` its last value, in the parent's
  // scope.
  struct Variable {
    Output inside;
    Output result;
    NodeId merge = -1;
  };
  // `initial` is a value of the parent's scope; `shape` holds in all iterations.
  Result<Variable> AddVariable(Output initial, const PartialShape& shape);
  // The value in the next iteration.
  Status SetNext(const Variable& variable, Output next);
  // A new stack, on which every iteration puts the value where the literals hold. Nodes are colocated with `source`, a
  // forward one.
  Result<Output> Push(Output value, const std::vector<Branches::PathCondition>& literals, NodeId source);
  // Pops a value off the stack in every iteration where the literals hold.
  Result<Output> Pop(Output stack, const PartialShape& shape, DType dtype,
                     const std::vector<Branches::PathCondition>& literals, NodeId source);
  // Runs in the parent's scope when the last iteration has ended.
  Result<NodeId> Finished();
  // Closes both counters, after all that this scope and those inside it hold has been added.
  Status Close();

  // The last value of a loop's variable, in the forward frame around the loop; makes an Exit where there is none.
  Result<Output> FinalValue(const LoopVariable& variable);

 private:
  // The scope or forward frame that a value belongs to. Neither: a constant, which can be read from anywhere.
  struct GradientSite {
    const GradientScope* scope = nullptr;
    int32_t forward_frame = -1;
    BranchId branch = 0;  // for a forward value
    bool is_anywhere() const { return scope == nullptr && forward_frame < 0; }
  };
  // State that all scopes of one differentiation share.
  struct Shared {
    Graph& graph;
    ForwardGraph& forward;
    const Options options;
    const GradientScope* root;
    std::unordered_map<NodeId, GradientSite> homes;  // added nodes, except the root's
  };
  // A counter of iterations: the nodes that use it in an iteration come between `begin` and `ends`.
  struct Counter {
    NodeId merge = -1;
    NodeId begin = -1;
    Output last;  // alive when there are no more iterations
    std::vector<NodeId> ends;
  };
  using Key = std::pair<int32_t, int32_t>;

  static Key KeyOf(Output value) { return {value.node, value.port}; }
  GradientSite SiteOf(Output value) const;
  NodeSpec Spec(std::string_view op, std::vector<Output> inputs, AttrMap attrs = {}) const;
  Result<Output> AddAt(const GradientSite& home, NodeSpec spec);
  // Adds a node here, with inputs that this scope can read.
  Result<Output> Add(NodeSpec spec);
  Result<Output> AddMerge(const GradientSite& home, Output enter);
  NodeSpec EnterSpec(const std::string& frame_name, Output value, bool is_constant) const;

  Status CountForward();
  Status CountBackward();
  Status CloseCounter(const Counter& counter, const GradientSite& home, std::string_view op);
  Result<Output> Saved(Output value, const GradientSite& home);
  // A value of frame 0, as the forward loop's nodes can read it.
  Result<Output> EnteredForward(Output value);
  Result<Output> PushAndPop(Output value, const GradientSite& home);
  NodeSpec StackSpec(std::string_view op, std::vector<Output> inputs, AttrMap attrs, NodeId source) const;
  Result<Output> NewStack(DType dtype, NodeId source);
  Result<Output> AddPush(const GradientSite& home, Counter& counter, Output stack, Output value, NodeId source);
  // The op's result where it only depends on its input's shape; an invalid Output where that is not so.
  Result<Output> FromShape(const NodeSpec& spec);
  Result<Output> FromStaticShape(const NodeSpec& spec);
  Result<Output> FromSavedShape(const NodeSpec& spec, const GradientSite& home);

  const std::shared_ptr<Shared> shared_;
  Graph& graph_;
  GradientScope* const parent_ = nullptr;
  const int32_t frame_ = 0;
  const ForwardLoop* const loop_ = nullptr;
  const std::string prefix_;
  const bool swap_memory_ = false;  // whether saved values may swap; Enters have it as the attr _swap_memory
  std::string home_node_;           // the node that skeleton nodes are colocated with
  std::string frame_name_;          // frame name of the gradient's loop
  Status status_;
  std::map<Key, Output> entered_;  // by value of the parent
  std::map<Key, Output> saved_;    // by value of the forward frame
  std::vector<NodeId> after_;
  std::vector<NodeId> forward_gates_;  // around the forward loop: the nodes that its Enters wait for
  Counter forward_counter_;
  Counter counter_;
  Output count_;      // number of iterations, in the forward frame around the loop
  Output condition_;  // the LoopCond
  NodeId gate_ = -1;  // in the parent's scope: dead where the loop did not run
  NodeId finished_ = -1;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_GRADIENT_SCOPE_H_
