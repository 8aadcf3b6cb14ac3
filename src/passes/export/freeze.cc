#include "src/passes/export/freeze.h"

#include <algorithm>
#include <utility>

#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

class Freezer {
 public:
  Freezer(const Graph& from, const std::map<NodeId, Tensor>& values)
      : from_(from), values_(values), rebuilder_(from), is_left_out_(static_cast<size_t>(from.num_nodes()), false) {}

  Result<FrozenGraph> Run() {
    DF_ASSIGN(const std::vector<NodeId> order, from_.TopologicalOrder());
    for (const NodeId id : order) DF_TRY(Take(from_.node(id)));
    DF_ASSIGN(Graph graph, rebuilder_.Finish());
    DF_TRY(graph.InferShapes());
    return FrozenGraph{std::move(graph), std::move(left_out_)};
  }

 private:
  Status Take(const Node& node) {
    if (const auto value = values_.find(node.id); value != values_.end()) return AddConstant(node, value->second);
    if (NeedsVariable(node)) {
      is_left_out_[static_cast<size_t>(node.id)] = true;
      left_out_.push_back(node.name);
      return Status();
    }
    if (node.op->name == "ReadVariableOp" && IsFrozen(node.inputs[0])) return AddRead(node);
    rebuilder_.Keep(node.id);
    return Status();
  }

  bool IsFrozen(Output output) const { return output.valid() && values_.contains(output.node); }

  // Whether the node needs a variable that is none any more, or the value of such a node.
  bool NeedsVariable(const Node& node) const {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Output input = node.inputs[i];
      if (!input.valid()) continue;
      if (is_left_out_[static_cast<size_t>(input.node)]) return true;
      if (!IsFrozen(input)) continue;
      if (node.input_types[i].is_ref) return true;
      if (node.input_types[i].dtype == DType::kResource && node.op->name != "ReadVariableOp") return true;
    }
    return false;
  }

  Status AddConstant(const Node& variable, const Tensor& value) {
    NodeSpec spec = PlacedAs(variable);
    spec.name = variable.name;
    spec.op = "Const";
    spec.attrs.Set("dtype", value.dtype());
    spec.attrs.Set("value", value);
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.Replace({variable.id, 0}, {made, 0});
    rebuilder_.ReplaceControl(variable.id, made);
    return Status();
  }

  Status AddRead(const Node& read) {
    NodeSpec spec = PlacedAs(read);
    spec.name = read.name;
    spec.op = "Identity";
    spec.inputs = {rebuilder_.NewOutput(read.inputs[0])};
    rebuilder_.AddControls(read.control_inputs, spec.control_inputs);
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.Replace({read.id, 0}, {made, 0});
    rebuilder_.ReplaceControl(read.id, made);
    return Status();
  }

  const Graph& from_;
  const std::map<NodeId, Tensor>& values_;
  GraphRebuilder rebuilder_;
  std::vector<bool> is_left_out_;  // by node of `from`
  std::vector<std::string> left_out_;
};

}  // namespace

std::vector<NodeId> VariablesIn(const Graph& graph) {
  std::vector<NodeId> variables;
  for (const Node& node : graph.nodes()) {
    if (node.op->traits.is_variable) variables.push_back(node.id);
  }
  return variables;
}

Result<FrozenGraph> FreezeVariables(const Graph& graph, const std::map<NodeId, Tensor>& values) {
  return Freezer(graph, values).Run();
}

}  // namespace dfrun
