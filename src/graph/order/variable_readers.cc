#include "src/graph/order/variable_readers.h"

#include <algorithm>

#include "src/base/status.h"
#include "src/graph/order/has_refs.h"
#include "src/graph/order/node_order.h"

namespace dfrun {
namespace {

// Whether the output is a variable, by reference or handle.
bool GivesItself(const Graph& graph, Output output) {
  return graph.is_ref(output) || graph.dtype(output) == DType::kResource;
}

// Whether the node takes a variable that it reads, and not its value alone.
bool TakesItself(const Node& node, Output variable) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    const TypedArg& type = node.input_types[static_cast<size_t>(i)];
    if (node.inputs[static_cast<size_t>(i)] == variable && (type.is_ref || type.dtype == DType::kResource)) return true;
  }
  return false;
}

}  // namespace

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

VariableReaders::Found VariableReaders::Find(NodeId variable) const {
  const Node& node = graph_.node(variable);
  Found found;
  found.holders = IsVariable(node) ? by_name_.at(VariableName(node)) : std::vector<NodeId>{variable};
  const std::vector<NodeId> givers = found.holders;
  const auto add = [](std::vector<NodeId>& to, NodeId id) {
    if (std::find(to.begin(), to.end(), id) == to.end()) to.push_back(id);
  };
  for (size_t i = 0; i < found.holders.size(); ++i) {
    for (const Consumers::Edge& edge : consumers_.of(found.holders[i])) {
      const Output output{found.holders[i], edge.port};
      if (edge.port < 0 || !GivesItself(graph_, output)) continue;
      if (std::find(givers.begin(), givers.end(), edge.node) == givers.end()) add(found.readers, edge.node);
      if (TakesItself(graph_.node(edge.node), output)) add(found.holders, edge.node);
    }
  }
  return found;
}

std::vector<NodeId> VariableReaders::Of(NodeId variable) const {
  return Find(variable).readers;
}

std::vector<NodeId> VariableReaders::ChangersOf(NodeId variable) const {
  std::vector<NodeId> changers = Find(variable).holders;
  std::erase_if(changers, [&](NodeId id) { return !MayChangeVariable(graph_.node(id)); });
  return changers;
}

bool MayChangeVariable(const Node& node) {
  const OpTraits& traits = node.op->traits;
  const bool hands_on = traits.passthrough != Passthrough::kNone || traits.control_flow != ControlFlowKind::kNone;
  return (HasRefInput(node) || HasHandleInput(node)) && !hands_on && !traits.only_reads_variables;
}

bool SeeOneValue(const Graph& graph, const VariableReaders& variables, std::span<const NodeId> order, NodeId variable,
                 std::span<const NodeId> readers) {
  if (graph.node(variable).num_inputs() > 0) return false;
  const std::vector<NodeId> changers = variables.ChangersOf(variable);
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
