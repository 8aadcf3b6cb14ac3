// Results of batch normalisation and of recurrent cells that passed no gradient on before.
#include <algorithm>
#include <string_view>
#include <vector>

#include "src/graph/order/ancestors.h"
#include "src/job/rule_change.h"

namespace dfrun {
namespace {

// The outputs of an op that passed gradients on before.
struct OldOutputs {
  std::string_view op;
  std::vector<int32_t> ports;
};

bool IsNewResult(const Graph& graph, Output value) {
  static const std::vector<OldOutputs>& ops = *new std::vector<OldOutputs>{
      {"FusedBatchNorm", {0}},   {"FusedBatchNormV2", {0}}, {"FusedBatchNormV3", {0}}, {"GRUBlockCell", {3}},
      {"LSTMBlockCell", {1, 6}}, {"BlockLSTM", {1, 6}},     {"BlockLSTMV2", {1, 6}},
  };
  const auto old = std::find_if(ops.begin(), ops.end(),
                                [&](const OldOutputs& o) { return o.op == graph.node(value.node).op->name; });
  return old != ops.end() && std::find(old->ports.begin(), old->ports.end(), value.port) == old->ports.end();
}

bool DependsOnTrained(const LoadedSpec& spec, Output value) {
  AncestorWalk walk(spec.graph);
  walk.Add(value.node);
  while (const Node* node = walk.Next()) {
    for (const Output input : node->inputs) walk.Add(input.node);
  }
  const std::vector<VariableSpec>& variables = spec.job.variables;
  return std::any_of(variables.begin(), variables.end(),
                     [&](const VariableSpec& v) { return v.is_trained() && walk.added()[v.node]; });
}

// Batch normalisation in inference by a mean or a variance that is trained.
bool TakesTrainedMoments(const LoadedSpec& spec, const Node& node) {
  return node.op->name.starts_with("FusedBatchNorm") && node.attrs.Has("is_training") &&
         !*node.attrs.Get<bool>("is_training") &&
         (DependsOnTrained(spec, node.inputs[3]) || DependsOnTrained(spec, node.inputs[4]));
}

bool LossReachesNewResults(const LoadedSpec& spec, const JobGraph&) {
  if (!spec.job.train) return false;
  AncestorWalk walk(spec.graph);
  walk.Add(spec.job.train->loss.node);
  while (const Node* node = walk.Next()) {
    if (TakesTrainedMoments(spec, *node)) return true;
    for (const Output input : node->inputs) {
      if (input.valid() && IsNewResult(spec.graph, input)) return true;
      walk.Add(input.node);
    }
  }
  return false;
}

RULE_CHANGE("result_gradients",
            {.says = "gradients pass through every result of batch normalisation and recurrent cells, and passed "
                     "through some alone",
             .concerns = &LossReachesNewResults});

}  // namespace
}  // namespace dfrun
