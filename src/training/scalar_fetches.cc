#include "src/training/scalar_fetches.h"

#include <algorithm>

#include "src/training/narrow_values.h"

namespace dfrun {
namespace {

// The mean over the replicas, or the quotient of two of them.
Output LossOf(const Replicas& replicas, const JobGraphDraft& draft, GraphOps& ops) {
  const Output loss = draft.spec.train->loss;
  if (!replicas.loss_over().valid()) return replicas.Mean(ops, "loss", loss);
  const Output sum = replicas.Mean(ops, "loss_sum", loss);
  const DType from = draft.job.graph.dtype(sum);
  return ops.Add(
      "loss", "RealDiv",
      {CastTo(ops, "loss_wide", sum, from, SumDType(from)), replicas.Mean(ops, "loss_over", replicas.loss_over())});
}

}  // namespace

DType LearningRateDType(const Replicas& replicas, const Graph& graph) {
  const std::vector<Replicas::Trained>& trained = replicas.trained();
  const bool has_double = std::any_of(trained.begin(), trained.end(), [&](const Replicas::Trained& t) {
    return graph.dtype({t.variable, 0}) == DType::kDouble;
  });
  return has_double ? DType::kDouble : DType::kFloat;
}

Status FetchScalars(const Replicas& replicas, JobGraphDraft& draft) {
  GraphOps ops(draft.job.graph, "train", replicas.device(0));
  JobStep& step = draft.job.step;
  step.signature.fetches.push_back(LossOf(replicas, draft, ops));
  draft.loss = step.signature.fetches.back();
  step.names.emplace_back("loss");
  for (const FetchSpec& s : draft.spec.summaries.scalars) {
    if (s.output == draft.spec.train->loss && !draft.spec.train->loss_over.valid()) continue;
    if (s.name == "loss") {
      return InvalidArgument(draft.LocationText(s.location), "a summary cannot have the name 'loss', which ",
                             "metrics.jsonl has for that of 'train'");
    }
    const bool has_mean = IsFloating(draft.model.dtype(s.output));
    step.signature.fetches.push_back(has_mean ? replicas.Mean(ops, "summaries/" + s.name, s.output)
                                              : replicas.Over(s.output)[0]);
    step.names.push_back(s.name);
  }
  for (const Output output : draft.spec.summaries.Outputs()) draft.summarized.push_back(replicas.Over(output));
  return ops.status();
}

}  // namespace dfrun
