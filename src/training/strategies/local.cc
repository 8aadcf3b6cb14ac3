// Local steps: each replica trains variables of its own, and every so many steps an outer step brings them together.
#include <algorithm>

#include "src/graph/order/ancestors.h"
#include "src/spec/job_spec.h"
#include "src/training/fed_learning_rate.h"
#include "src/training/outer_step.h"
#include "src/training/replicas.h"
#include "src/training/scalar_fetches.h"
#include "src/training/slices_check.h"
#include "src/training/strategy.h"
#include "src/training/updates.h"

namespace dfrun {
namespace {

bool CheckLocal(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  bool good = CheckSlices(train, inputs, diagnostics);
  const auto refuse = [&](SourceLocation location, const auto&... text) {
    diagnostics.Error(location, text...);
    good = false;
  };
  if (train.data_parallel == TrainSpec::DataParallel::kAllreduce) {
    refuse(train.location,
           "'strategy: local' gives each replica variables of its own, which 'data_parallel: allreduce' ",
           "would keep equal: leave out 'data_parallel'");
  }
  const InputSpec* first = nullptr;
  for (const InputSpec* input : inputs) {
    if (input->all) {
      refuse(input->batch_location,
             "'batch: all' does not go with 'strategy: local', whose replicas are to see different ",
             "samples: give a number of samples");
    }
    if (first != nullptr && input->position != first->position) {
      refuse(input->location, "with 'strategy: local' the loss reads one input, but it reads '", first->name, "' and '",
             input->name, "': write 'with: ", first->name, "' at this one, or 'strategy: sync' in 'train'");
    }
    if (first == nullptr) first = input;
  }
  return good;
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

// Refuses a loss that waits for elements of a queue: replicas take what is there, in an order of chance.
Status CheckQueues(const JobGraphDraft& draft) {
  AncestorWalk walk(draft.model);
  walk.Add(draft.spec.train->loss.node);
  if (draft.spec.train->loss_over.valid()) walk.Add(draft.spec.train->loss_over.node);
  while (const Node* node = walk.Next()) {
    if (node->op->traits.wait == WaitKind::kTake) {
      return InvalidArgument(draft.model.Describe(node->id), " takes elements that the replicas of 'strategy: local' ",
                             "would share by chance: read an input, or write 'strategy: sync' in 'train'");
    }
    walk.AddSources(*node);
  }
  return Status();
}

Status AddLocal(JobGraphDraft& draft) {
  const TrainSpec& train = *draft.spec.train;
  if (draft.spec.compression != WireCompression::kNone) {
    return InvalidArgument(draft.LocationText(train.location), "with 'compress' of 'cluster' the replicas of ",
                           "'strategy: local' would begin with other values than the job's: leave it out, and write ",
                           "'compress_gradients: true' in 'train'");
  }
  DF_TRY(CheckIntervals(draft));
  DF_TRY(CheckQueues(draft));
  const auto count = static_cast<int>(train.strategy.integer("replicas"));
  DF_ASSIGN(const Replicas replicas, Replicas::Add(draft, count, Replicas::Variables::kOwn));
  DF_ASSIGN(const Output learning_rate, AddFedLearningRate(replicas, draft));
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
