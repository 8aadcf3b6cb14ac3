// The choice of the values that gradients get by computing them a second time, by what they take to keep and to
// compute.
#ifndef DFRUN_SRC_PASSES_RECOMPUTE_CHOICE_H_
#define DFRUN_SRC_PASSES_RECOMPUTE_CHOICE_H_

#include <cstdint>
#include <vector>

#include "src/base/name_pattern.h"
#include "src/passes/recompute/gradient_step.h"

namespace dfrun {

// Chooses among some ways to recompute: the nodes that are no more than a pass over their bytes, and, for numbers of
// segments up to about twice the square root of the number of kept values, all nodes between the ends of segments of
// about equal bytes. Each way is tried on a copy of the graph, with the peak of its values (live_values.h) and its time
// by costs (node_cost.h).
//   limit_bytes > 0: the way that takes least time of those whose values fit into so many bytes; where none fits, that
//     of the lowest peak;
//   limit_bytes 0: the way of about the lowest peak among those that add at most a third to the time of a step.
// Within a way a value is kept where its recomputation would keep others of more bytes. Nothing is chosen where no way
// lowers the peak. Returns, by node, whether it is chosen.
// Source: Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost".
Result<std::vector<bool>> ChooseRecomputed(const Graph& graph, const GradientStep& step, int64_t limit_bytes);

// Chooses the nodes whose names match one of the patterns, as far as they may be recomputed, and those that pass their
// values on.
std::vector<bool> ChooseNamed(const Graph& graph, const GradientStep& step, const std::vector<NamePattern>& patterns);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_RECOMPUTE_CHOICE_H_
