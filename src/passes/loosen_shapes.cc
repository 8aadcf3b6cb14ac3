#include "src/passes/loosen_shapes.h"

#include <map>
#include <string>
#include <string_view>

#include "src/graph/deferred_shapes.h"
#include "src/graph/order/variable_readers.h"
#include "src/graph/passthrough.h"

namespace dfrun {
namespace {

// The node of the variable that a ref or a handle stands for; null where it is not known.
const Node* VariableBehind(const Graph& graph, Output value) {
  for (int hops = 0; value.valid() && hops < graph.num_nodes(); ++hops) {
    const Node& node = graph.node(value.node);
    if (IsVariable(node)) return &node;
    const bool hands_on_ref = graph.is_ref(value) && !node.inputs.empty() && node.input_types[0].is_ref;
    value = hands_on_ref ? node.inputs[0] : PassthroughInput(graph, value);
  }
  return nullptr;
}

bool IsRestored(const Graph& graph, Output value) {
  const Output made = PassthroughSource(graph, value);
  return made.valid() && std::string_view(graph.node(made.node).op->name).starts_with("Restore");
}

bool MayChangeShape(const Node& node) {
  if (node.op->name == "AssignVariableOp") return true;
  const AttrValue* validates = node.op->name == "Assign" ? node.attrs.Find("validate_shape") : nullptr;
  return validates != nullptr && validates->get<bool>() != nullptr && !*validates->get<bool>();
}

PartialShape InCommon(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank()) return PartialShape();
  PartialShape both = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) both.set_dim(i, PartialShape::kUnknown);
  }
  return both;
}

}  // namespace

Status LoosenVariableShapes(Graph& graph) {
  std::map<std::string, PartialShape> loose;  // by name
  for (const Node& node : graph.nodes()) {
    if (!MayChangeShape(node) || !node.inputs[0].valid() || !node.inputs[1].valid()) continue;
    const Node* const variable = VariableBehind(graph, node.inputs[0]);
    if (variable == nullptr || IsRestored(graph, node.inputs[1])) continue;
    DF_ASSIGN(const PartialShape declared, variable->attrs.Get<PartialShape>("shape"));
    const auto known = loose.emplace(VariableName(*variable), declared).first;
    known->second = InCommon(known->second, graph.shape(node.inputs[1]));
  }
  bool changes = false;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    Node& node = graph.mutable_node(id);
    const auto found = IsVariable(node) ? loose.find(VariableName(node)) : loose.end();
    if (found == loose.end()) continue;
    DF_ASSIGN(const PartialShape declared, node.attrs.Get<PartialShape>("shape"));
    const PartialShape now = InCommon(declared, found->second);
    if (now == declared) continue;
    node.attrs.Set("shape", now);
    changes = true;
  }
  return changes ? InferShapesOfWhatMayRun(graph) : Status();
}

}  // namespace dfrun
