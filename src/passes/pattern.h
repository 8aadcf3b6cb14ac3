// Patterns: trees of nodes that become one node, by their ops, whose inner values have no other readers.
#ifndef DFRUN_SRC_PASSES_PATTERN_H_
#define DFRUN_SRC_PASSES_PATTERN_H_

#include <optional>
#include <string_view>
#include <vector>

#include "src/passes/fusion.h"

namespace dfrun {

// A node of one of the ops whose first inputs match `inputs`; one without ops matches any value.
struct Pattern {
  std::vector<std::string_view> ops;
  std::vector<Pattern> inputs = {};
  // Set for an inner node that other nodes may wait for.
  bool may_be_awaited = false;
};

// The ids of the nodes that match, a node before those of its inputs; none where the tree does not match. All but
// `root` may go when it is replaced: one reader has their one output.
std::optional<std::vector<NodeId>> Match(const FusionView& view, const Node& root, const Pattern& pattern);
// Matches the node that makes a value as an inner one: it may go, too, when the tree is replaced.
std::optional<std::vector<NodeId>> MatchInner(const FusionView& view, Output value, const Pattern& pattern);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_PATTERN_H_
