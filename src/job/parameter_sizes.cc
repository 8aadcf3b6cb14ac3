#include "src/job/parameter_sizes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "src/base/printable.h"

namespace dfrun {
namespace {

VariableSizes SizesOfVariable(const Graph& graph, const VariableSpec& variable) {
  const Output value = {variable.node, 0};
  const int64_t elements = std::max<int64_t>(graph.shape(value).num_elements(), 0);
  const DType dtype = graph.dtype(value);
  const int64_t element_bytes = dtype == DType::kString ? 0 : static_cast<int64_t>(DTypeSize(dtype));
  return {.variables = 1, .elements = elements, .bytes = elements * element_bytes};
}

// The first `depth` parts of a name.
std::string_view ScopeOf(std::string_view name, int depth) {
  size_t end = 0;
  for (int part = 0; part < depth && end != std::string_view::npos; ++part)
    end = name.find('/', end + (part > 0 ? 1 : 0));
  return name.substr(0, end);
}

// Returns the depth at which the names are in different scopes, or one of them has no further part.
int DepthAtWhichTheyDiffer(const std::vector<std::string_view>& names) {
  if (names.size() < 2) return 1;
  for (int depth = 1;; ++depth) {
    const std::string_view scope = ScopeOf(names[0], depth);
    const bool is_common = std::all_of(names.begin(), names.end(), [&](std::string_view name) {
      return ScopeOf(name, depth) == scope && name.size() > scope.size();
    });
    if (!is_common) return depth;
  }
}

using TableRow = std::array<std::string, 4>;

TableRow RowOf(const std::string& scope, const VariableSizes& sizes) {
  return {scope, StrCat(sizes.variables), StrCat(sizes.elements), StrCat(sizes.bytes)};
}

// The first column at the left, numbers at the right.
std::string PrintRows(const std::vector<TableRow>& rows) {
  std::array<size_t, 4> widths = {};
  for (const TableRow& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TableRow& row : rows) {
    text += StrCat("  ", row[0], std::string(widths[0] - row[0].size(), ' '));
    for (size_t i = 1; i < row.size(); ++i) text += std::string(widths[i] - row[i].size() + 2, ' ') + row[i];
    text += "\n";
  }
  return text;
}

}  // namespace

void VariableSizes::Add(const VariableSizes& other) {
  variables += other.variables;
  elements += other.elements;
  bytes += other.bytes;
}

ModelSizes SizesOf(const LoadedSpec& spec) {
  ModelSizes sizes;
  std::set<NodeId> positions;
  for (const InputSpec& input : spec.job.inputs) positions.insert(input.position);
  std::vector<std::string_view> names;
  std::vector<VariableSizes> trained;
  for (const VariableSpec& variable : spec.job.variables) {
    if (positions.contains(variable.node)) continue;
    const VariableSizes own = SizesOfVariable(spec.graph, variable);
    if (!variable.is_trained()) {
      (variable.trainable ? sizes.frozen : sizes.others).Add(own);
      continue;
    }
    sizes.parameters.Add(own);
    names.push_back(spec.graph.node(variable.node).name);
    trained.push_back(own);
  }
  const int depth = DepthAtWhichTheyDiffer(names);
  std::map<std::string_view, size_t> index;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto [it, is_new] = index.emplace(ScopeOf(names[i], depth), sizes.trained.size());
    if (is_new) sizes.trained.push_back({std::string(it->first), {}});
    sizes.trained[it->second].sizes.Add(trained[i]);
  }
  return sizes;
}

std::string PrintTable(const ModelSizes& sizes, size_t max_scopes) {
  std::vector<TableRow> rows;
  if (!sizes.trained.empty()) {
    rows.push_back({"scope", "variables", "parameters", "bytes"});
    const size_t shown = std::min(sizes.trained.size(), max_scopes);
    for (size_t i = 0; i < shown; ++i)
      rows.push_back(RowOf(PrintableLine(sizes.trained[i].scope), sizes.trained[i].sizes));
    VariableSizes rest;
    for (size_t i = shown; i < sizes.trained.size(); ++i) rest.Add(sizes.trained[i].sizes);
    if (rest.variables > 0) rows.push_back(RowOf(StrCat("... and ", sizes.trained.size() - shown, " more"), rest));
    rows.push_back(RowOf("total", sizes.parameters));
  }
  std::string text = PrintRows(rows);
  if (sizes.frozen.variables > 0) {
    text += StrCat("  frozen: ", sizes.frozen.variables, " variables of ", sizes.frozen.elements, " elements, ",
                   sizes.frozen.bytes, " bytes\n");
  }
  if (sizes.others.variables > 0) {
    text += StrCat("  not trained: ", sizes.others.variables, " variables of ", sizes.others.elements, " elements, ",
                   sizes.others.bytes, " bytes\n");
  }
  return text;
}

}  // namespace dfrun
