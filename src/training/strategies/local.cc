// Local steps: each replica trains variables of its own, and every so many steps an outer step brings them together.
#include "src/spec/job_spec.h"
#include "src/training/checks/strategy_checks.h"
#include "src/training/learning_rate.h"
#include "src/training/outer_step.h"
#include "src/training/replicas.h"
#include "src/training/scalar_fetches.h"
#include "src/training/strategy.h"
#include "src/training/updates.h"

namespace dfrun {
namespace {

bool CheckLocal(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  bool good = CheckSlices(train, inputs, diagnostics);
  good = CheckNoAllreduce(train, diagnostics) && good;
  good = CheckNoWholeSets(train, inputs, diagnostics) && good;
  return CheckOneInput(train, inputs, /*whole_sets=*/false, diagnostics) && good;
}

// The outer steps of a job are between its steps: what reads the job's variables comes after one.
Status CheckIntervals(const JobGraphDraft& draft) {
  const int64_t every = draft.spec.train->strategy.integer("sync_every");
  const auto check = [&](int64_t interval, SourceLocation location, const std::string& key) {
    if (interval % every == 0) return Status();
    const int64_t above = (interval / every + 1) * every;
    const std::string below = interval > every ? StrCat(above - every, " or ") : "";
    return InvalidArgument(draft.LocationText(location), "'every' of '", key, "' is ", interval,
                           ", but with 'strategy: local' it must be a multiple of 'sync_every', which is ", every, ": ",
                           below, above, " is one");
  };
  for (const EvalSpec& eval : draft.evaluation.job.evals) DF_TRY(check(eval.every, eval.location, eval.name));
  const std::optional<CheckpointSpec>& checkpoint = draft.spec.checkpoint;
  return checkpoint ? check(checkpoint->every, checkpoint->location, "checkpoint") : Status();
}

Status AddLocal(JobGraphDraft& draft) {
  const TrainSpec& train = *draft.spec.train;
  if (draft.spec.compression != WireCompression::kNone) {
    return InvalidArgument(draft.LocationText(train.LocationOf("strategy")), "'compress' of 'cluster' and ",
                           "'strategy: local' do not go together, since its replicas would begin with other values ",
                           "than the job's: leave it out, and write 'compress_gradients: true' in 'train'");
  }
  DF_TRY(CheckIntervals(draft));
  const auto count = static_cast<int>(train.strategy.integer("replicas"));
  DF_ASSIGN(const Replicas replicas, Replicas::Add(draft, count, Replicas::Variables::kOwn));
  DF_ASSIGN(const std::vector<NodeId> body, replicas.Body(draft));
  DF_TRY(CheckNoWaits(train, replicas.graph(), body, WaitKind::kTake));
  DF_ASSIGN(const Output learning_rate, AddLearningRate(replicas, draft.workers[0], {}, draft));
  DF_TRY(FetchScalars(replicas, draft));
  return AddUpdates(draft, replicas, learning_rate);
}

Status AddOuterStepOf(JobGraphDraft& draft) {
  const Alternative& chosen = draft.spec.train->strategy;
  return AddOuterStep({.every = chosen.integer("sync_every"),
                       .learning_rate = chosen.number("outer_learning_rate"),
                       .momentum = chosen.number("outer_momentum"),
                       .compresses = chosen.flag("compress_gradients")},
                      draft);
}

STRATEGY(
    "local",
    {.keys = {{.name = "replicas", .kind = KeyKind::kInt, .minimum = 2, .maximum = 1 << 16, .fallback = int64_t{2}},
              {.name = "sync_every", .kind = KeyKind::kInt, .minimum = 1, .fallback = int64_t{50}},
              {.name = "outer_learning_rate", .kind = KeyKind::kPositive, .fallback = 0.7},
              {.name = "outer_momentum", .kind = KeyKind::kFraction, .fallback = 0.9},
              {.name = "compress_gradients", .kind = KeyKind::kBool, .fallback = false}},
     .check = &CheckLocal,
     .doc = "each replica trains its own variables, which outer steps join",
     .add = &AddLocal,
     .add_between_steps = &AddOuterStepOf});

}  // namespace
}  // namespace dfrun
