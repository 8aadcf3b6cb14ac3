// Synchronous data parallelism: each replica has the gradients of its slice of the batch, and each variable one update,
// by their mean.
#include "src/spec/job_spec.h"
#include "src/training/fed_learning_rate.h"
#include "src/training/replica_counts.h"
#include "src/training/replicas.h"
#include "src/training/scalar_fetches.h"
#include "src/training/shares/backup.h"
#include "src/training/slices_check.h"
#include "src/training/strategy.h"
#include "src/training/updates.h"

namespace dfrun {
namespace {

bool CheckSync(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  bool good = CheckSlices(train, inputs, diagnostics);
  if (BackupOf(train) == 0) return good;
  const auto refuse = [&](SourceLocation location, const auto&... text) {
    diagnostics.Error(location, text...);
    good = false;
  };
  if (ReplicasOf(train) == 1) {
    refuse(train.location,
           "'backup' and 'replicas: 1' do not go together: write 'replicas' of 2 or more, or leave out ", "'backup'");
  }
  if (train.data_parallel == TrainSpec::DataParallel::kAllreduce) {
    refuse(train.location, "'backup' and 'data_parallel: allreduce' do not go together: the replicas of a step are ",
           "others each time: leave out 'data_parallel', or 'backup'");
  }
  if (train.strategy.flag("allreduce")) {
    refuse(train.location, "'backup' and 'allreduce' do not go together: the replicas of a step are others each time: ",
           "leave out one of them");
  }
  for (const InputSpec* input : inputs) {
    if (input->all) {
      refuse(input->batch_location, "'batch: all' and 'backup' of 'train' do not go together, since replicas take the ",
             "rows of a step as they come: give a number of samples, or leave out 'backup'");
    } else if (input->position != inputs[0]->position) {
      refuse(input->location, "the loss reads the inputs '", inputs[0]->name, "' and '", input->name,
             "', and with 'backup' of 'train' one position is shared out: write 'with: ", inputs[0]->name, "' at '",
             input->name, "', or leave out 'backup'");
    }
  }
  return good;
}

Status AddSync(JobGraphDraft& draft) {
  const TrainSpec& train = *draft.spec.train;
  const auto count = static_cast<int>(ReplicasOf(train));
  if (BackupOf(train) > 0) return AddWithBackup(count, static_cast<int>(BackupOf(train)), draft);
  DF_ASSIGN(const Replicas replicas, Replicas::Add(draft, count));
  DF_ASSIGN(const Output learning_rate, AddFedLearningRate(replicas, draft));
  DF_TRY(FetchScalars(replicas, draft));
  return AddUpdates(draft, replicas, learning_rate);
}

Status FinishSync(JobGraphDraft& draft) {
  return BackupOf(*draft.spec.train) > 0 ? FinishWithBackup(draft) : Status();
}

STRATEGY(
    "sync",
    {.keys = {{.name = "replicas", .kind = KeyKind::kInt, .minimum = 1, .maximum = 1 << 16, .fallback = int64_t{1}},
              {.name = "allreduce", .kind = KeyKind::kBool, .fallback = false},
              {.name = "backup", .kind = KeyKind::kInt, .minimum = 0, .maximum = 1 << 16, .fallback = int64_t{0}},
              {.name = "compress_gradients", .kind = KeyKind::kBool, .fallback = false}},
     .check = &CheckSync,
     .doc = "each replica has the gradient of an equal slice of the batch, and the update uses their mean",
     .add = &AddSync,
     .add_between_steps = &FinishSync});

}  // namespace
}  // namespace dfrun
