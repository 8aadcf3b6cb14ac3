#include "src/partition/loop_termination.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {
namespace {

// One call of EndLoopsByConditions().
class LoopExitInserter {
 public:
  LoopExitInserter(Graph& graph, const FrameTree& tree)
      : graph_(graph), tree_(tree), conditions_(tree.frames.size()), bits_(conditions_.size()) {}

  Status Run() {
    FindConditions();
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    FindGuards(order);
    for (NodeId id : order) {
      const int32_t frame = tree_.of_node[id];
      if (KindOf(id) != ControlFlowKind::kNextIteration || conditions_[frame].size() != 1) continue;
      if ((guards_[id] & bits_[frame]) == 0) DF_TRY(Hold(id, frame));
    }
    return Status();
  }

 private:
  // One bit for each loop around a node, outermost first, set if the node is dead unless that loop's condition is true.
  // Loops beyond the number of bits have none.
  using Guards = uint64_t;

  ControlFlowKind KindOf(NodeId id) const { return graph_.node(id).op->traits.control_flow; }

  void FindConditions() {
    for (size_t f = 1; f < bits_.size(); ++f) {
      const int32_t outer = tree_.frames[f].parent;
      bits_[f] = outer == 0 ? 1 : bits_[outer] << 1;
    }
    for (size_t id = 0; id < tree_.of_node.size(); ++id) {
      const auto cond = static_cast<NodeId>(id);
      if (KindOf(cond) == ControlFlowKind::kLoopCond) conditions_[tree_.of_node[id]].push_back(cond);
    }
  }

  // The guards of a loop variable are also guards of its NextIteration. All are assumed, and those that do not hold are
  // removed until nothing changes.
  void FindGuards(const std::vector<NodeId>& order) {
    guards_.assign(order.size(), ~Guards{0});
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (NodeId id : order) {
        const Guards before = std::exchange(guards_[id], GuardsOf(graph_.node(id)));
        is_changed |= guards_[id] != before && KindOf(id) == ControlFlowKind::kNextIteration;
      }
    }
  }

  Guards GuardsOf(const Node& node) const {
    const ControlFlowKind kind = KindOf(node.id);
    if (kind == ControlFlowKind::kControlTrigger) return 0;
    if (kind == ControlFlowKind::kMerge) return GuardsOfMerge(node);
    Guards guards = 0;
    for (const Output& input : node.inputs) guards |= GuardsOf(input);
    for (NodeId control : node.control_inputs) guards |= guards_[control];
    if (kind == ControlFlowKind::kExit) guards &= bits_[tree_.of_node[node.id]] - 1;
    return guards;
  }

  // The value of a NextIteration depends on the condition of the iteration before.
  Guards GuardsOfMerge(const Node& node) const {
    Guards guards = ~Guards{0};
    for (int i = 0; i < node.num_inputs(); ++i) {
      guards &= GuardsOf(node.inputs[i]);
      if (graph_.IsBackEdge(node, i)) guards &= bits_[tree_.of_node[node.id]] - 1;
    }
    return guards;
  }

  Guards GuardsOf(Output value) const {
    const Node& node = graph_.node(value.node);
    const bool is_side = KindOf(value.node) == ControlFlowKind::kSwitch && value.port == 1 &&
                         KindOf(node.inputs[1].node) == ControlFlowKind::kLoopCond;
    return guards_[value.node] | (is_side ? bits_[tree_.of_node[value.node]] : 0);
  }

  Status Hold(NodeId next, int32_t frame) {
    const std::string device = graph_.node(next).device;
    const auto [side, is_new] = sides_.try_emplace({frame, device}, -1);
    if (is_new) {
      const Output cond{conditions_[frame][0], 0};
      DF_ASSIGN(const NodeId branch, Add(next, "Switch", {cond, cond}));
      DF_ASSIGN(side->second, Add(next, "Identity", {{branch, 1}}));
    }
    graph_.AddControlEdge(side->second, next);
    return Status();
  }

  // Adds a node on the device of `near`, named after it.
  Result<NodeId> Add(NodeId near, const char* op, std::vector<Output> inputs) {
    NodeSpec spec;
    spec.name = graph_.UniqueName(StrCat(graph_.node(near).name, "/", op));
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.device = graph_.node(near).device;
    return graph_.AddNode(std::move(spec));
  }

  Graph& graph_;
  const FrameTree& tree_;
  std::vector<std::vector<NodeId>> conditions_;              // LoopConds, by frame
  std::vector<Guards> bits_;                                 // bits of each frame's conditions
  std::vector<Guards> guards_;                               // by node
  std::map<std::pair<int32_t, std::string>, NodeId> sides_;  // by frame and device: alive where the frame goes on
};

}  // namespace

Status EndLoopsByConditions(Graph& graph) {
  DF_ASSIGN(const FrameTree tree, BuildFrameTree(graph));
  return LoopExitInserter(graph, tree).Run();
}

}  // namespace dfrun
