#include "src/passes/pattern.h"

#include <algorithm>

namespace dfrun {
namespace {

bool AppendMatch(const FusionView& view, const Node& node, const Pattern& pattern, std::vector<NodeId>& found);

bool AppendInner(const FusionView& view, Output value, const Pattern& pattern, std::vector<NodeId>& found) {
  if (pattern.ops.empty()) return true;
  if (!value.valid()) return false;
  const Node& node = view.node(value.node);
  if (!view.HasOneReader(node) || (!pattern.may_be_awaited && view.IsAwaited(node))) return false;
  return AppendMatch(view, node, pattern, found);
}

bool AppendMatch(const FusionView& view, const Node& node, const Pattern& pattern, std::vector<NodeId>& found) {
  if (std::find(pattern.ops.begin(), pattern.ops.end(), node.op->name) == pattern.ops.end()) return false;
  if (pattern.inputs.size() > node.inputs.size()) return false;
  found.push_back(node.id);
  for (size_t i = 0; i < pattern.inputs.size(); ++i) {
    if (!AppendInner(view, node.inputs[i], pattern.inputs[i], found)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<NodeId>> Match(const FusionView& view, const Node& root, const Pattern& pattern) {
  std::vector<NodeId> found;
  return AppendMatch(view, root, pattern, found) ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<std::vector<NodeId>> MatchInner(const FusionView& view, Output value, const Pattern& pattern) {
  std::vector<NodeId> found;
  return AppendInner(view, value, pattern, found) ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace dfrun
