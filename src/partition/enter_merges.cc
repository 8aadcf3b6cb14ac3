#include "src/partition/enter_merges.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {
namespace {

// One call of MergeLoopEntries().
class EnterMerger {
 public:
  explicit EnterMerger(Graph& graph) : graph_(graph), consumers_(graph.BuildConsumers()) {}

  Status Run() {
    const NodeId num_nodes = graph_.num_nodes();
    for (NodeId id = 0; id < num_nodes; ++id) {
      const std::vector<NodeId> readers = DirectReaders(id);
      if (readers.empty()) continue;
      DF_ASSIGN(const NodeId merge, graph_.node(id).op->name == "Enter" ? MergeOfEnter(id) : MergeOfNext(id));
      for (NodeId reader : readers) Redirect(graph_.mutable_node(reader), id, merge);
    }
    return Status();
  }

 private:
  // The readers of a value that only some iterations have, without the Merge of its loop variable.
  std::vector<NodeId> DirectReaders(NodeId id) const {
    const Node& node = graph_.node(id);
    const bool enters_once = node.op->name == "Enter" && !*node.attrs.Get<bool>("is_constant");
    if (!enters_once && node.op->name != "NextIteration") return {};
    std::vector<NodeId> readers;
    for (const Consumers::Edge& edge : consumers_.of(id)) {
      if (edge.input < 0 || !IsLoopMerge(graph_.node(edge.node))) readers.push_back(edge.node);
    }
    return readers;
  }

  // Returns true for a Merge with an input for iteration 0 and one for later iterations.
  bool IsLoopMerge(const Node& node) const {
    int back = 0;
    for (int i = 0; i < node.num_inputs(); ++i) back += graph_.IsBackEdge(node, i) ? 1 : 0;
    return back > 0 && back < node.num_inputs();
  }

  Result<NodeId> MergeOfEnter(NodeId enter) {
    DF_ASSIGN(const NodeId merge, AddMerge(enter, enter));
    DF_ASSIGN(const Output never, AddNever({merge, 0}, enter));
    DF_ASSIGN(const NodeId next, Add(enter, "NextIteration", {never}));
    DF_TRY(graph_.SetInput(merge, 1, {next, 0}));
    return merge;
  }

  // The dead value outside of the loop is made on the device of some value that enters the loop.
  Result<NodeId> MergeOfNext(NodeId next) {
    DF_ASSIGN(const FrameTree tree, BuildFrameTree(graph_));
    const NodeId model = tree.frames[tree.of_node[next]].enters[0];
    DF_ASSIGN(const Output never, AddNever(graph_.node(model).inputs[0], next));
    DF_ASSIGN(const NodeId dead, Add(next, "Identity", {never}));
    const DType dtype = graph_.dtype({next, 0});
    if (!IsPlain(dtype)) {
      return Unimplemented(graph_.Describe(next), ": a NextIteration of ", dtype,
                           " that other nodes than a Merge read");
    }
    DF_ASSIGN(const NodeId any, Add(next, "Const", {}, {{"dtype", dtype}, {"value", Tensor(dtype, Shape())}}));
    DF_ASSIGN(const NodeId none, Add(next, "Identity", {{any, 0}}));
    graph_.AddControlEdge(dead, none);
    AttrMap attrs = graph_.node(model).attrs;
    attrs.Set("T", dtype);
    attrs.Set("is_constant", false);
    DF_ASSIGN(const NodeId enter, Add(next, "Enter", {{none, 0}}, std::move(attrs)));
    DF_ASSIGN(const NodeId merge, AddMerge(next, enter));
    DF_TRY(graph_.SetInput(merge, 1, {next, 0}));
    return merge;
  }

  // Adds the Merge of a loop variable with the dtype and shape of the output of `like`.
  Result<NodeId> AddMerge(NodeId like, NodeId enter) {
    DF_ASSIGN(const NodeId merge,
              Add(like, "Merge", {{enter, 0}, Output()}, {{"T", graph_.dtype({like, 0})}, {"N", 2}}));
    graph_.mutable_node(merge).output_shapes[0] = graph_.shape({like, 0});
    return merge;
  }

  // Adds a node whose output is always dead, of the dtype and shape of `value`.
  Result<Output> AddNever(Output value, NodeId near) {
    const AttrMap never = {{"dtype", DType::kBool}, {"value", Tensor::Scalar(false)}};
    DF_ASSIGN(const NodeId pred, Add(near, "Const", {}, never));
    DF_ASSIGN(const NodeId sides, Add(near, "Switch", {value, {pred, 0}}));
    return Output{sides, 1};
  }

  // Adds a node on the device of `near`, named after it.
  Result<NodeId> Add(NodeId near, std::string_view op, std::vector<Output> inputs, AttrMap attrs = {}) {
    NodeSpec spec;
    spec.name = graph_.UniqueName(StrCat(graph_.node(near).name, "/", op));
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    spec.device = graph_.node(near).device;
    return graph_.AddNode(std::move(spec));
  }

  static void Redirect(Node& reader, NodeId from, NodeId to) {
    for (Output& input : reader.inputs) {
      if (input.node == from) input.node = to;
    }
    std::replace(reader.control_inputs.begin(), reader.control_inputs.end(), from, to);
    std::sort(reader.control_inputs.begin(), reader.control_inputs.end());
  }

  Graph& graph_;
  const Consumers consumers_;
};

}  // namespace

Status MergeLoopEntries(Graph& graph) {
  return EnterMerger(graph).Run();
}

}  // namespace dfrun
