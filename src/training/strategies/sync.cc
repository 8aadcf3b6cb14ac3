// Synchronous data parallelism: each replica has the gradients of its slice of the batch, and each variable one update,
// by their mean.
#include <algorithm>

#include "src/base/text.h"
#include "src/spec/job_spec.h"
#include "src/training/narrow_values.h"
#include "src/training/replicas.h"
#include "src/training/strategy.h"
#include "src/training/updates.h"

namespace dfrun {
namespace {

bool CheckSlices(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  const int64_t replicas = train.strategy.integer("replicas");
  bool good = true;
  std::vector<NodeId> seen;  // inputs that go together have one position
  for (const InputSpec* input : inputs) {
    if (!input->is_sliced() || input->batch % replicas == 0) continue;
    if (std::find(seen.begin(), seen.end(), input->position) != seen.end()) continue;
    seen.push_back(input->position);
    diagnostics.Error(input->batch_location, "a batch of ", input->batch, " cannot be cut into equal slices for ",
                      replicas, " replicas");
    good = false;
  }
  return good;
}

DType LearningRateDType(const Replicas& replicas, const Graph& graph) {
  const std::vector<Replicas::Trained>& trained = replicas.trained();
  const bool has_double = std::any_of(trained.begin(), trained.end(), [&](const Replicas::Trained& t) {
    return graph.dtype({t.variable, 0}) == DType::kDouble;
  });
  return has_double ? DType::kDouble : DType::kFloat;
}

// The node that a schedule's learning rate is fed to; invalid where the rate is constant.
Result<Output> AddFedLearningRate(const Replicas& replicas, JobGraphDraft& draft) {
  const ScheduleSpec& schedule = draft.spec.train->learning_rate;
  if (schedule.kind == ScheduleSpec::Kind::kConstant && schedule.warmup == 0) return Output();
  GraphOps ops(draft.job.graph, "train", draft.workers[0]);
  const DType dtype = LearningRateDType(replicas, draft.job.graph);
  const Output fed = ops.Add("learning_rate", "Placeholder", {}, {{"dtype", dtype}, {"shape", Shape()}});
  DF_TRY(ops.status());
  draft.job.fed_learning_rate = dtype;
  draft.job.step.signature.feeds = {fed};
  draft.job.step.signature.feed_shapes = {PartialShape::Scalar()};
  return fed;
}

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

// The loss and the summaries, as means over the replicas; of a summary that has no mean the first replica's.
Status FetchScalars(const Replicas& replicas, JobGraphDraft& draft) {
  GraphOps ops(draft.job.graph, "train", draft.workers[0]);
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

Status AddSync(JobGraphDraft& draft) {
  const auto count = static_cast<int>(draft.spec.train->strategy.integer("replicas"));
  DF_ASSIGN(const Replicas replicas, Replicas::Add(draft, count));
  DF_ASSIGN(const Output learning_rate, AddFedLearningRate(replicas, draft));
  DF_TRY(FetchScalars(replicas, draft));
  return AddUpdates(draft, replicas, learning_rate);
}

STRATEGY(
    "sync",
    {.keys = {{.name = "replicas", .kind = KeyKind::kInt, .minimum = 1, .maximum = 1 << 16, .fallback = int64_t{1}},
              {.name = "allreduce", .kind = KeyKind::kBool, .fallback = false},
              {.name = "compress_gradients", .kind = KeyKind::kBool, .fallback = false}},
     .check = &CheckSlices,
     .doc = "each replica computes the gradient of an equal slice of the batch, and the update uses their mean",
     .add = &AddSync});

}  // namespace
}  // namespace dfrun
