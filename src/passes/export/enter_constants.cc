#include "src/passes/export/enter_constants.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {
namespace {

class ConstantEnters {
 public:
  ConstantEnters(Graph& graph, FrameTree tree) : graph_(graph), tree_(std::move(tree)) {}

  Status Run() {
    const int32_t count = graph_.num_nodes();
    for (NodeId id = 0; id < count; ++id) {
      if (tree_.of_node[id] > 0) DF_TRY(EnterInputs(id, tree_.of_node[id]).Annotate(graph_.Describe(id)));
    }
    return Status();
  }

 private:
  bool IsConstant(NodeId id) const { return tree_.of_outputs[id] == FrameTree::kAny; }

  Status EnterInputs(NodeId id, int32_t frame) {
    for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
      const Output value = graph_.node(id).inputs[i];
      if (!IsConstant(value.node)) continue;
      DF_ASSIGN(const Output entered, Entered(value, frame, graph_.node(id).input_types[i].is_ref));
      DF_TRY(graph_.SetInput(id, i, entered));
    }
    const std::vector<NodeId> before = graph_.node(id).control_inputs;
    for (NodeId other : before) {
      if (!IsConstant(other)) continue;
      std::vector<NodeId>& controls = graph_.mutable_node(id).control_inputs;
      controls.erase(std::find(controls.begin(), controls.end(), other));
      if (graph_.node(other).num_outputs() == 0) continue;
      DF_ASSIGN(const Output entered, Entered({other, 0}, frame, graph_.is_ref({other, 0})));
      graph_.AddControlEdge(entered.node, id);
    }
    return Status();
  }

  // The value within the frame, brought in from the frame around it.
  Result<Output> Entered(Output value, int32_t frame, bool by_ref) {
    if (frame == 0) return value;
    const auto key = std::make_tuple(value.node, value.port, frame, by_ref);
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
    const Frame& into = tree_.frames[frame];
    DF_ASSIGN(const Output outer, Entered(value, into.parent, by_ref));
    NodeSpec spec;
    spec.name = graph_.UniqueName(graph_.node(value.node).name + "/Enter");
    spec.op = by_ref ? "RefEnter" : "Enter";
    spec.inputs = {outer};
    spec.attrs = {{"frame_name", into.name}, {"is_constant", true}, {"parallel_iterations", into.parallel_iterations}};
    spec.device = graph_.node(value.node).device;
    DF_ASSIGN(const NodeId id, graph_.AddNode(std::move(spec)));
    return made_[key] = Output{id, 0};
  }

  Graph& graph_;
  const FrameTree tree_;
  std::map<std::tuple<NodeId, int32_t, int32_t, bool>, Output> made_;
};

}  // namespace

Status EnterConstants(Graph& graph) {
  if (!HasControlFlow(graph)) return Status();
  DF_ASSIGN(FrameTree tree, BuildFrameTree(graph));
  return ConstantEnters(graph, std::move(tree)).Run();
}

}  // namespace dfrun
