// Numbers of `train:` beside variables of float64.
#include <algorithm>

#include "src/job/rule_change.h"

namespace dfrun {
namespace {

bool TrainsDoublesByRounded(const LoadedSpec& spec, const JobGraph& graph) {
  if (!spec.job.train || !(spec.job.train->clip_norm || graph.scheduled_rate)) return false;
  const std::vector<VariableSpec>& variables = spec.job.variables;
  return std::any_of(variables.begin(), variables.end(), [&](const VariableSpec& v) {
    return v.is_trained() && spec.graph.dtype({v.node, 0}) == DType::kDouble;
  });
}

RULE_CHANGE("float64_rates",
            {.says = "a schedule's rate and the norm of gradients of float64 are float64, and were float32",
             .concerns = &TrainsDoublesByRounded});

}  // namespace
}  // namespace dfrun
