// Branches: the predicates under which each value of a graph is alive.
//
// A conditional has no mark of its own in the primitive form; Switch nodes and control edges tell it. A value is alive
// in an iteration of its frame where every literal of its branch holds. Source: white paper section 4.4.
#ifndef DFRUN_SRC_AUTODIFF_BRANCHES_H_
#define DFRUN_SRC_AUTODIFF_BRANCHES_H_

#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {

// Names a set of literals of one Branches; 0 is the empty one.
using BranchId = int32_t;

// A Switch on the condition of its loop, which decides between a further iteration and the loop's end.
bool IsLoopSwitch(const Graph& graph, const Node& node);
// A Merge at the head of a loop.
bool IsLoopMerge(const Graph& graph, const Node& node);

// The branches of a graph's values, found once.
// Thread safety: const methods from any thread.
class Branches {
 public:
  struct PathCondition {
    Output pred;  // bool scalar, of the frame of the values that it decides on
    bool value = false;
    bool operator<(const PathCondition& o) const {
      return std::tuple(pred.node, pred.port, value) < std::tuple(o.pred.node, o.pred.port, o.value);
    }
    bool operator==(const PathCondition& o) const { return pred == o.pred && value == o.value; }
  };
  // The inputs of a Merge as sides of a predicate: input i comes from the branch where `pred` is values[i]. pred is
  // invalid where the inputs are not the two sides of one predicate.
  struct Choice {
    Output pred;
    std::vector<bool> values;
  };

  Branches(const Graph& graph, const FrameTree& frames, std::span<const NodeId> order);

  // The branch in which the node runs; the branch in which the value is alive.
  BranchId OfNode(NodeId node) const { return of_node_[node]; }
  BranchId Of(Output value) const;
  // The branch in which a loop runs, within an iteration of the frame around it.
  BranchId OfLoop(int32_t frame) const { return of_loop_[frame]; }
  const std::vector<PathCondition>& literals(BranchId branch) const { return *sets_[branch]; }
  // The branch that has one literal more. The literals of `inner` that `outer` lacks.
  BranchId With(BranchId branch, PathCondition literal);
  std::vector<PathCondition> Difference(BranchId outer, BranchId inner) const;
  // The choice of a Merge that is not at the head of a loop.
  const Choice& ChoiceOf(NodeId merge) const { return choices_.at(merge); }

 private:
  using Set = std::vector<PathCondition>;

  BranchId Intern(Set literals);
  // Returns one output for all values that are the same predicate: Identity hands it on, and several Enters may bring
  // it into a loop.
  Output Same(Output pred);
  BranchId United(BranchId a, BranchId b);
  void Visit(const Node& node);
  BranchId OfInputs(const Node& node);
  BranchId OfMerge(const Node& node);

  const Graph& graph_;
  const FrameTree& frames_;
  std::map<Set, BranchId> ids_;
  std::vector<const Set*> sets_;
  std::vector<BranchId> of_node_;
  std::vector<BranchId> of_loop_;
  std::unordered_map<NodeId, std::pair<BranchId, BranchId>> of_switch_;  // by port
  std::unordered_map<NodeId, Choice> choices_;
  std::map<std::tuple<int32_t, NodeId, int32_t>, Output> entered_;  // by frame, and value outside of it
};

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_BRANCHES_H_
