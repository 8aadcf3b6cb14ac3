// Gradients by complex values that TensorFlow, and dfrun before, had another way (docs/tensorflow.md).
#include <algorithm>
#include <string_view>

#include "src/graph/order/ancestors.h"
#include "src/job/rule_change.h"

namespace dfrun {
namespace {

bool IsConcerned(const Node& node) {
  constexpr std::string_view kOps[] = {"LogMatrixDeterminant", "MulNoNan", "SquaredDifference"};
  return std::find(std::begin(kOps), std::end(kOps), node.op->name) != std::end(kOps) &&
         IsComplex(node.output_types[0].dtype);
}

bool TrainsThroughComplexValues(const LoadedSpec& spec, const JobGraph&) {
  if (!spec.job.train) return false;
  AncestorWalk walk(spec.graph);
  walk.Add(spec.job.train->loss.node);
  while (const Node* node = walk.Next()) {
    if (IsConcerned(*node)) return true;
    for (const Output input : node->inputs) walk.Add(input.node);
  }
  return false;
}

RULE_CHANGE("complex_gradients", {.says = "gradients of MulNoNan, SquaredDifference and LogMatrixDeterminant by "
                                          "complex values are those of their definition, and were not",
                                  .concerns = &TrainsThroughComplexValues});

}  // namespace
}  // namespace dfrun
