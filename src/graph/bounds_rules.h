// Rules that derive the bounds of an op's output from those of its inputs.
#ifndef DFRUN_SRC_GRAPH_BOUNDS_RULES_H_
#define DFRUN_SRC_GRAPH_BOUNDS_RULES_H_

#include <optional>
#include <span>

#include "src/graph/bounds.h"
#include "src/graph/graph.h"

namespace dfrun {

// Returns the bounds of output 0; nothing where no rule knows the op.
std::optional<Bounds> BoundsByRule(const Node& node, std::span<const Bounds> inputs);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_BOUNDS_RULES_H_
