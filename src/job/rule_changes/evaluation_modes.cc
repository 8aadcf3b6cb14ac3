// The rule change by which evaluations, and the steps of `run:`, run the form of the graph in which `training` is
// false.
#include <algorithm>

#include "src/job/rule_change.h"

namespace dfrun {
namespace {

// A spec that feeds the constants of its layers has said before what evaluations do.
bool EvaluatesByMode(const LoadedSpec& spec, const JobGraph& graph) {
  if (spec.other == nullptr || !spec.mode_feeds.empty()) return false;
  return spec.job.run || std::any_of(graph.evaluations.begin(), graph.evaluations.end(),
                                     [](const EvaluationPass& pass) { return !pass.batch.names.empty(); });
}

RULE_CHANGE(
    "evaluation_modes",
    {.says = "layers such as dropout and batch_norm are built for evaluation where nothing is trained, and were "
             "built for training",
     .concerns = &EvaluatesByMode});

}  // namespace
}  // namespace dfrun
