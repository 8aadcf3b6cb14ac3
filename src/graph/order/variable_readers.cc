#include "src/graph/order/variable_readers.h"

#include <algorithm>

#include "src/base/status.h"
#include "src/graph/order/has_refs.h"
#include "src/graph/order/node_order.h"

namespace dfrun {

std::string VariableName(const Node& node) {
  const auto attr = [&](const char* name) {
    const AttrValue* value = node.attrs.Find(name);
    const std::string* text = value != nullptr ? value->get<std::string>() : nullptr;
    return text != nullptr ? *text : std::string();
  };
  const std::string shared = attr("shared_name");
  return StrCat(attr("container"), "\n", shared.empty() ? node.name : shared);
}

bool IsVariable(const Node& node) {
  return node.op->traits.is_variable;
}

VariableReaders::VariableReaders(const Graph& graph, const Consumers& consumers)
    : graph_(graph), consumers_(consumers) {
  for (const Node& node : graph.nodes()) {
    if (IsVariable(node)) by_name_[VariableName(node)].push_back(node.id);
  }
}

std::vector<NodeId> VariableReaders::Of(NodeId variable) const {
  const Node& node = graph_.node(variable);
  const std::vector<NodeId> givers = IsVariable(node) ? by_name_.at(VariableName(node)) : std::vector<NodeId>{variable};
  std::vector<NodeId> found = givers;
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Consumers::Edge& edge : consumers_.of(found[i])) {
      if (edge.port < 0 || std::find(found.begin(), found.end(), edge.node) != found.end()) continue;
      const Output output{found[i], edge.port};
      if (graph_.is_ref(output) || graph_.dtype(output) == DType::kResource) found.push_back(edge.node);
    }
  }
  found.erase(found.begin(), found.begin() + static_cast<int64_t>(givers.size()));
  return found;
}

bool MayChangeVariable(const Node& node) {
  const OpTraits& traits = node.op->traits;
  const bool hands_on = traits.passthrough != Passthrough::kNone || traits.control_flow != ControlFlowKind::kNone;
  return (HasRefInput(node) || HasHandleInput(node)) && !hands_on && !traits.only_reads_variables;
}

bool SeeOneValue(const Graph& graph, const VariableReaders& variables, std::span<const NodeId> order, NodeId variable,
                 std::span<const NodeId> readers) {
  if (graph.node(variable).num_inputs() > 0) return false;
  std::vector<NodeId> changers = variables.Of(variable);
  std::erase_if(changers, [&](NodeId id) { return !MayChangeVariable(graph.node(id)); });
  if (changers.empty()) return true;
  for (size_t first = 0; first < readers.size(); first += NodeOrder::kMax) {
    const size_t count = std::min(NodeOrder::kMax, readers.size() - first);
    const NodeOrder node_order(graph, order, readers.subspan(first, count));
    const uint64_t all = count == NodeOrder::kMax ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    if (std::any_of(changers.begin(), changers.end(), [&](NodeId id) { return node_order.After(id) != all; })) {
      return false;
    }
  }
  return true;
}

}  // namespace dfrun
