#include "src/passes/enter_before_exit.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"
#include "src/graph/dependency_order.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

bool Contains(const std::vector<NodeId>& nodes, NodeId id) {
  return std::find(nodes.begin(), nodes.end(), id) != nodes.end();
}

// Whether nothing but the readers of its outputs can tell when it runs: objects of the step are no more than that.
bool MayRunEarlier(const Node& node) {
  constexpr std::array<std::string_view, 5> kStepResources = {"Stack", "StackV2", "TensorArray", "TensorArrayV2",
                                                              "TensorArrayV3"};
  return !node.op->is_stateful ||
         std::find(kStepResources.begin(), kStepResources.end(), node.op->name) != kStepResources.end();
}

// Returns the frame that each Enter leads into; -1 for other nodes.
std::vector<int32_t> EnteredFrames(const Graph& graph, const FrameTree& tree) {
  std::vector<int32_t> entered(static_cast<size_t>(graph.num_nodes()), -1);
  for (size_t f = 0; f < tree.frames.size(); ++f) {
    for (NodeId enter : tree.frames[f].enters) entered[enter] = static_cast<int32_t>(f);
  }
  return entered;
}

// Frames that wait for each other in a cycle, or one for itself. A frame is a thing after its Enters and before their
// readers.
std::vector<int32_t> FindWaiting(const Graph& graph, const FrameTree& tree, const std::vector<int32_t>& entered) {
  Dependencies dependencies;
  const auto after = [&](NodeId id) {
    dependencies.before.push_back(entered[id] < 0 ? id : graph.num_nodes() + entered[id]);
  };
  for (const Node& node : graph.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!graph.IsBackEdge(node, i)) after(node.inputs[i].node);
    }
    for (NodeId before : node.control_inputs) after(before);
    dependencies.Close();
  }
  for (const Frame& frame : tree.frames) {
    dependencies.before.insert(dependencies.before.end(), frame.enters.begin(), frame.enters.end());
    dependencies.Close();
  }
  std::vector<int32_t> frames;
  for (int32_t thing : OrderByDependencies(dependencies).cycle) {
    if (thing >= graph.num_nodes()) frames.push_back(thing - graph.num_nodes());
  }
  return frames;
}

// The Enters of one frame that come after its Exits, and the edges to cut so that they do not.
class WaitingFrame {
 public:
  WaitingFrame(Graph& graph, const FrameTree& tree, const std::vector<int32_t>& entered, int32_t frame)
      : graph_(graph), tree_(tree), frame_(frame), consumers_(graph.BuildConsumers()), late_(FindLate(entered)) {}

  // Removes the frame's wait for itself. Returns false, and changes nothing, if it cannot be removed. Enters that are
  // not needed any more are added to `removed`.
  bool Free(std::vector<NodeId>& removed) {
    if (!Plan() || (cuts_.empty() && awaited_.empty())) return false;
    const NodeId first = FirstEntered();
    for (const auto& [before, node] : cuts_) {
      std::vector<NodeId>& controls = graph_.mutable_node(node).control_inputs;
      controls.erase(std::find(controls.begin(), controls.end(), before));
      if (first >= 0) graph_.AddControlEdge(first, node);
    }
    for (NodeId enter : awaited_) {
      for (const Consumers::Edge& edge : consumers_.of(enter)) MakeNoOp(graph_.mutable_node(edge.node));
      removed.push_back(enter);
    }
    return true;
  }

 private:
  // Tells for each node whether it comes after an Exit of the frame. The outputs of a loop come after all of its
  // Enters.
  std::vector<bool> FindLate(const std::vector<int32_t>& entered) const {
    std::vector<bool> late(static_cast<size_t>(graph_.num_nodes()), false);
    std::vector<bool> is_late_frame(tree_.frames.size(), false);
    std::vector<NodeId> pending = ExitsOf(frame_);
    while (!pending.empty()) {
      const NodeId id = pending.back();
      pending.pop_back();
      if (late[id]) continue;
      late[id] = true;
      for (const Consumers::Edge& edge : consumers_.of(id)) {
        const bool is_back = edge.input >= 0 && graph_.IsBackEdge(graph_.node(edge.node), edge.input);
        if (!is_back) pending.push_back(edge.node);
      }
      const int32_t other = entered[id];
      if (other < 0 || other == frame_ || is_late_frame[other]) continue;
      is_late_frame[other] = true;
      const std::vector<NodeId> exits = ExitsOf(other);
      pending.insert(pending.end(), exits.begin(), exits.end());
    }
    return late;
  }

  std::vector<NodeId> ExitsOf(int32_t frame) const {
    std::vector<NodeId> exits;
    for (const Node& node : graph_.nodes()) {
      const bool is_exit = node.op->traits.control_flow == ControlFlowKind::kExit;
      if (is_exit && tree_.of_node[node.id] == frame) exits.push_back(node.id);
    }
    return exits;
  }

  bool Plan() {
    for (NodeId enter : tree_.frames[frame_].enters) {
      if (late_[enter] && !PlanCuts(enter) && !IsAwaitedAlone(enter)) return false;
    }
    return true;
  }

  // The control edges by which the Enter comes late. False where its value does.
  bool PlanCuts(NodeId enter) {
    std::vector<std::pair<NodeId, NodeId>> cuts;
    std::vector<NodeId> seen = {enter};
    for (size_t i = 0; i < seen.size(); ++i) {
      const Node& node = graph_.node(seen[i]);
      if (tree_.of_node[node.id] != tree_.frames[frame_].parent || !MayRunEarlier(node)) return false;
      for (NodeId before : node.control_inputs) {
        if (late_[before]) cuts.emplace_back(before, node.id);
      }
      for (Output input : node.inputs) {
        if (late_[input.node] && !Contains(seen, input.node)) seen.push_back(input.node);
      }
    }
    for (const auto& cut : cuts) {
      if (std::find(cuts_.begin(), cuts_.end(), cut) == cuts_.end()) cuts_.push_back(cut);
    }
    return true;
  }

  // Whether the value's only use is that nodes wait for an Identity of it, which waits for its iteration.
  bool IsAwaitedAlone(NodeId enter) {
    for (const Consumers::Edge& edge : consumers_.of(enter)) {
      const Node& reader = graph_.node(edge.node);
      if (edge.input < 0 || reader.op->name != "Identity" || reader.control_inputs.empty()) return false;
      for (const Consumers::Edge& further : consumers_.of(reader.id)) {
        if (further.input >= 0) return false;
      }
    }
    awaited_.push_back(enter);
    return true;
  }

  // An Enter that is not late, preferably one of the frame around the loop.
  NodeId FirstEntered() const {
    NodeId found = -1;
    for (NodeId enter : tree_.frames[frame_].enters) {
      const NodeId value = graph_.node(enter).inputs[0].node;
      if (late_[enter]) continue;
      if (tree_.of_outputs[value] != FrameTree::kAny) return value;
      found = value;
    }
    return found;
  }

  void MakeNoOp(Node& node) const {
    node.op = graph_.ops().Find("NoOp");
    node.attrs = AttrMap();
    node.inputs.clear();
    node.input_types.clear();
    node.output_types.clear();
    node.output_shapes.clear();
  }

  Graph& graph_;
  const FrameTree& tree_;
  const int32_t frame_;
  const Consumers consumers_;
  const std::vector<bool> late_;
  std::vector<std::pair<NodeId, NodeId>> cuts_;  // control edges
  std::vector<NodeId> awaited_;                  // Enters
};

}  // namespace

void EnterBeforeExit(Graph& graph) {
  if (!HasControlFlow(graph)) return;
  bool changed = true;
  while (changed) {
    const Result<FrameTree> tree = BuildFrameTree(graph);
    if (!tree.ok()) return;  // placement and plan report the error
    const std::vector<int32_t> entered = EnteredFrames(graph, *tree);
    const std::vector<int32_t> waiting = FindWaiting(graph, *tree, entered);
    std::vector<NodeId> removed;
    changed = std::any_of(waiting.begin(), waiting.end(),
                          [&](int32_t frame) { return WaitingFrame(graph, *tree, entered, frame).Free(removed); });
    std::vector<bool> keep(static_cast<size_t>(graph.num_nodes()), true);
    for (NodeId id : removed) keep[id] = false;
    if (!removed.empty()) graph = graph.Subset(keep);
  }
}

REQUIRED_GRAPH_PASS("enter_before_exit", 20, [](Graph& graph, const PassContext& /*context*/) {
  EnterBeforeExit(graph);
  return Status();
});

}  // namespace dfrun
