// The rule change by which `train:` sums gradients of 16 bits in float32 (src/training/narrow_values.h).
#include <algorithm>

#include "src/job/rule_change.h"
#include "src/training/narrow_values.h"

namespace dfrun {
namespace {

bool IsNarrow(DType dtype) {
  return dtype != SumDType(dtype);
}

// Equal rows of a gradient are summed even without replicas and a norm.
bool SumsRows(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    return node.op->name == "UnsortedSegmentSum" && node.name.starts_with("train/");
  });
}

bool SumsNarrowValues(const LoadedSpec& spec, const JobGraph& job) {
  if (!spec.job.train) return false;
  const TrainSpec& train = *spec.job.train;
  const std::vector<VariableSpec>& variables = spec.job.variables;
  const bool has_narrow = std::any_of(variables.begin(), variables.end(), [&](const VariableSpec& v) {
    return IsNarrow(spec.graph.dtype({v.node, 0}));
  });
  return has_narrow && (train.strategy.integer("replicas") > 1 || train.clip_norm || SumsRows(job.graph));
}

RULE_CHANGE("float32_means",
            {.says = "gradients of 16 bits are summed, and their norm is computed, in float32, and were in 16 bits",
             .concerns = &SumsNarrowValues});

}  // namespace
}  // namespace dfrun
