// Inputs whose gradients once ended without a word.
#include <algorithm>
#include <string_view>
#include <vector>

#include "src/autodiff/dependency.h"
#include "src/job/rule_change.h"

namespace dfrun {
namespace {

struct NewGradient {
  std::string_view op;
  int input;  // -1: of each
};

constexpr NewGradient kNewGradients[] = {
    {"Mod", -1},
    {"TruncateMod", -1},
    {"OneHot", -1},
    {"Range", -1},
    {"LinSpace", -1},
    {"PadV2", 2},
    {"MatrixDiagV2", 4},
    {"MatrixDiagV3", 4},
    {"MatrixDiagPartV2", 2},
    {"MatrixDiagPartV3", 2},
    {"ResizeBilinearGrad", 0},
    {"ResizeNearestNeighborGrad", 0},
    {"FakeQuantWithMinMaxArgsGradient", 0},
};

bool IsNew(const Node& node, int input) {
  return std::any_of(std::begin(kNewGradients), std::end(kNewGradients),
                     [&](const NewGradient& g) { return g.op == node.op->name && (g.input < 0 || g.input == input); });
}

bool TrainsByNewGradients(const LoadedSpec& spec, const JobGraph&) {
  if (!spec.job.train) return false;
  std::vector<Output> trained;
  for (const VariableSpec& variable : spec.job.variables) {
    if (variable.is_trained()) trained.push_back({variable.node, 0});
  }
  const Output loss[] = {spec.job.train->loss};
  const Dependency dependency(spec.graph, loss, trained);
  return std::any_of(spec.graph.nodes().begin(), spec.graph.nodes().end(), [&](const Node& node) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const bool depends = node.inputs[i].valid() && dependency.DependsOnX(node.inputs[i]);
      if (depends && IsNew(node, i) && dependency.IsPassedThrough(node.id) && dependency.IsBetween(node.id))
        return true;
    }
    return false;
  });
}

RULE_CHANGE("new_gradients", {.says = "remainders, ranges, values of OneHot and paddings have gradients, and had none",
                              .concerns = &TrainsByNewGradients});

}  // namespace
}  // namespace dfrun
