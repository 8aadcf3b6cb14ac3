#include "src/graph/control_flow.h"

#include <algorithm>
#include <utility>

namespace dfrun {
namespace {

// One call of BuildFrameTree().
class FrameTreeBuilder {
 public:
  explicit FrameTreeBuilder(const Graph& graph) : graph_(graph) {
    tree_.frames.emplace_back();
    tree_.of_node.assign(static_cast<size_t>(graph.num_nodes()), 0);
  }

  Result<FrameTree> Build() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    tree_.of_outputs.assign(static_cast<size_t>(graph_.num_nodes()), FrameTree::kAny);
    for (NodeId id : order) {
      const Status status = Visit(graph_.node(id));
      if (!status.ok()) return status.Annotate(graph_.Describe(id));
    }
    return std::move(tree_);
  }

 private:
  Status Visit(const Node& node) {
    DF_ASSIGN(const int32_t inputs_frame, FrameOfInputs(node));
    const int32_t frame = std::max(inputs_frame, 0);
    tree_.of_node[node.id] = frame;
    switch (node.op->traits.control_flow) {
      case ControlFlowKind::kEnter: {
        DF_ASSIGN(tree_.of_outputs[node.id], Enter(node, frame));
        return Status();
      }
      case ControlFlowKind::kExit:
        if (frame == 0) return InvalidArgument("an Exit outside of any loop");
        tree_.of_outputs[node.id] = tree_.frames[frame].parent;
        return Status();
      case ControlFlowKind::kNextIteration:
        if (frame == 0) return InvalidArgument("a NextIteration outside of any loop");
        [[fallthrough]];
      default:
        tree_.of_outputs[node.id] = inputs_frame;
        return Status();
    }
  }

  Result<int32_t> FrameOfInputs(const Node& node) {
    int32_t frame = FrameTree::kAny;
    NodeId first = -1;
    const auto meet = [&](NodeId source) -> Status {
      const int32_t other = tree_.of_outputs[source];
      if (other == FrameTree::kAny || other == frame) return Status();
      if (frame == FrameTree::kAny) {
        frame = other;
        first = source;
        return Status();
      }
      return InvalidArgument("its inputs come from different loops: '", graph_.node(first).name, "' from ",
                             FrameName(frame), ", '", graph_.node(source).name, "' from ", FrameName(other),
                             "; a value comes into a loop through an Enter and out of it through an Exit");
    };
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (node.inputs[i].valid() && !graph_.IsBackEdge(node, i)) DF_TRY(meet(node.inputs[i].node));
    }
    for (NodeId source : node.control_inputs) DF_TRY(meet(source));
    return frame;
  }

  // The frame that an Enter leads into.
  Result<int32_t> Enter(const Node& node, int32_t outer) {
    DF_ASSIGN(const std::string name, node.attrs.Get<std::string>("frame_name"));
    DF_ASSIGN(const int64_t parallel, node.attrs.Get<int64_t>("parallel_iterations"));
    if (parallel < 1) return InvalidArgument("parallel_iterations is ", parallel, ", but must be at least 1");
    const auto same = [&](const Frame& f) { return f.parent == outer && f.name == name; };
    auto it = std::find_if(tree_.frames.begin(), tree_.frames.end(), same);
    if (it == tree_.frames.end()) {
      tree_.frames.push_back({.name = name, .parent = outer, .parallel_iterations = parallel, .enters = {}});
      it = tree_.frames.end() - 1;
    } else if (it->parallel_iterations != parallel) {
      return InvalidArgument("parallel_iterations is ", parallel, ", but another Enter of frame '", name, "' has ",
                             it->parallel_iterations);
    }
    it->enters.push_back(node.id);
    return static_cast<int32_t>(it - tree_.frames.begin());
  }

  std::string FrameName(int32_t frame) const {
    return frame == 0 ? "outside of any" : StrCat("'", tree_.frames[frame].name, "'");
  }

  const Graph& graph_;
  FrameTree tree_;
};

// A conditional of another device decides whether the value is dead.
bool ReceivesDead(const Node& node) {
  if (node.op->name != "_Recv") return false;
  const AttrValue* const can_be_dead = node.attrs.Find("can_be_dead");
  const bool* const flag = can_be_dead == nullptr ? nullptr : can_be_dead->get<bool>();
  return flag != nullptr && *flag;
}

}  // namespace

ControlFlowKind ControlFlowKindOf(std::string_view op) {
  const OpDef* def = OpRegistry::Builtin().Find(op);
  return def == nullptr ? ControlFlowKind::kNone : def->traits.control_flow;
}

bool HasControlFlow(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    return node.op->traits.control_flow != ControlFlowKind::kNone || ReceivesDead(node);
  });
}

Result<FrameTree> BuildFrameTree(const Graph& graph) {
  return FrameTreeBuilder(graph).Build();
}

}  // namespace dfrun
