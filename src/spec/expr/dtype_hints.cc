#include "src/spec/expr/dtype_hints.h"

#include <algorithm>
#include <string>

#include "src/graph/order/variable_readers.h"
#include "src/graph/passthrough.h"

namespace dfrun {
namespace {

bool IsNumber(DType dtype) {
  return IsFloating(dtype) || IsInteger(dtype) || dtype == DType::kBool;
}

// The output that a value is handed on from unchanged.
Output SourceOf(const Graph& graph, Output value) {
  for (Output before = PassthroughInput(graph, value); before.valid(); before = PassthroughInput(graph, value))
    value = before;
  return value;
}

bool IsData(const Node& node) {
  return node.op->name == "HDF5Reader" || node.op->name == "SampleReader" || node.op->name == "Placeholder";
}

// Priority by which a value keeps its dtype beside another: the greater number wins.
int Rank(const Graph& graph, Output value) {
  const Node& source = graph.node(SourceOf(graph, value).node);
  if (IsVariable(source)) return 1000;
  const DType dtype = graph.dtype(value);
  const int width = static_cast<int>(DTypeSize(dtype)) + (IsFloating(dtype) ? 100 : 0);
  return IsData(source) ? width - 500 : width;
}

// The inputs of one type attr.
std::vector<Output> InputsOf(const OpDef& op, const std::vector<Output>& inputs, const std::string& type_attr) {
  std::vector<Output> found;
  size_t at = 0;
  for (const ArgDef& arg : op.inputs) {
    const bool is_list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
    const size_t count = is_list ? inputs.size() + 1 - std::min(inputs.size() + 1, op.inputs.size()) : 1;
    for (size_t i = 0; i < count && at < inputs.size(); ++i, ++at) {
      if (arg.type_attr == type_attr && inputs[at].valid()) found.push_back(inputs[at]);
    }
  }
  return found;
}

std::optional<WantedCast> CastAmong(const Graph& graph, const std::vector<Output>& inputs, const AttrDef& attr) {
  if (inputs.empty()) return {};
  const auto is_castable = [&](Output value) { return IsNumber(graph.dtype(value)); };
  if (!std::all_of(inputs.begin(), inputs.end(), is_castable)) return {};
  const auto less = [&](Output a, Output b) { return Rank(graph, a) < Rank(graph, b); };
  const Output keeps = *std::max_element(inputs.begin(), inputs.end(), less);
  const auto differs = [&](Output value) { return graph.dtype(value) != graph.dtype(keeps); };
  const auto other = std::find_if(inputs.begin(), inputs.end(), differs);
  if (other != inputs.end()) return WantedCast{*other, graph.dtype(keeps)};
  const auto is_allowed = [&](DType dtype) {
    const std::vector<DType>& allowed = attr.allowed_types;
    return allowed.empty() || std::find(allowed.begin(), allowed.end(), dtype) != allowed.end();
  };
  if (is_allowed(graph.dtype(keeps)) || !is_allowed(DType::kFloat)) return {};
  return WantedCast{keeps, DType::kFloat};
}

}  // namespace

std::optional<WantedCast> FindWantedCast(const Graph& graph, const OpDef& op, const std::vector<Output>& inputs) {
  for (const AttrDef& attr : op.attrs) {
    if (attr.type != "type") continue;
    if (const auto cast = CastAmong(graph, InputsOf(op, inputs, attr.name), attr)) return cast;
  }
  return {};
}

}  // namespace dfrun
