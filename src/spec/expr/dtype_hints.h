// Suggests casts where an op does not take the dtypes of its inputs.
#ifndef DFRUN_SRC_SPEC_EXPR_DTYPE_HINTS_H_
#define DFRUN_SRC_SPEC_EXPR_DTYPE_HINTS_H_

#include <optional>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

struct WantedCast {
  Output value;
  DType to;
};

// Finds the input to cast so that a node of this op takes its inputs; nothing where a cast does not help. A variable
// keeps its dtype, data gives way to computed values, else the narrower to the wider.
std::optional<WantedCast> FindWantedCast(const Graph& graph, const OpDef& op, const std::vector<Output>& inputs);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_DTYPE_HINTS_H_
