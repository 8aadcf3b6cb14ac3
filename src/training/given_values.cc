#include "src/training/given_values.h"

#include <cstdint>

#include "src/training/read_variables.h"
#include "src/training/variable_copies.h"
#include "src/training/variable_placement.h"

namespace dfrun {
namespace {

// The values of one step are in the memory of rank 0 together.
constexpr int64_t kMaxBytesOfStep = int64_t{256} << 20;

Status AddGiven(const LoadedSpec& spec, size_t index, JobGraphDraft& draft, GivenValues& step) {
  const Output variable = {draft.shared.nodes.at(spec.job.variables[index].node), 0};
  const Node node = draft.job.graph.node(variable.node);
  GraphOps ops(draft.job.graph, "init_from", draft.workers[0]);
  const Output fed =
      ops.Add(node.name, "Placeholder", {}, {{"dtype", node.output_types[0].dtype}, {"shape", node.output_shapes[0]}});
  ops.set_device(node.device);
  const Output assigned = ops.Add(node.name + "/assign", "Assign", {variable, fed});
  DF_TRY(ops.status());
  draft.job.graph.mutable_node(assigned.node).colocate_with = node.name;
  step.variables.push_back(index);
  step.signature.feeds.push_back(fed);
  step.signature.feed_shapes.push_back(node.output_shapes[0]);
  step.signature.targets.push_back(assigned.node);
  return AssignCopies(draft, variable.node, assigned, step.signature);
}

}  // namespace

Status AddGivenValues(const LoadedSpec& spec, JobGraphDraft& draft) {
  if (!spec.job.init_from) return Status();
  const std::vector<bool> is_read = FindReadVariables(spec.job, spec.graph, spec.other.get());
  int64_t bytes = 0;
  for (size_t i = 0; i < spec.job.variables.size(); ++i) {
    if (!is_read[i] || spec.job.init_from->choices[i] != InitFromSpec::Choice::kTaken) continue;
    const int64_t own = VariableBytes(spec.graph, spec.job.variables[i].node);
    std::vector<GivenValues>& steps = draft.job.given;
    if (steps.empty() || bytes + own > kMaxBytesOfStep) {
      steps.emplace_back();
      bytes = 0;
    }
    bytes += own;
    DF_TRY(AddGiven(spec, i, draft, steps.back()));
  }
  return Status();
}

}  // namespace dfrun
