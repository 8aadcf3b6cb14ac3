// Synchronous data parallelism: each replica has the gradients of its slice of the batch, and each variable one update,
// by their mean.
#include "src/spec/job_spec.h"
#include "src/spec/replica_counts.h"
#include "src/training/checks/strategy_checks.h"
#include "src/training/learning_rate.h"
#include "src/training/replicas.h"
#include "src/training/scalar_fetches.h"
#include "src/training/shares/backup.h"
#include "src/training/strategy.h"
#include "src/training/updates.h"

namespace dfrun {
namespace {

bool CheckSync(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  bool good = CheckSlices(train, inputs, diagnostics);
  if (BackupOf(train) == 0) return good;
  good = CheckNoAllreduce(train, diagnostics) && good;
  good = CheckNoWholeSets(train, inputs, diagnostics) && good;
  good = CheckOneInput(train, inputs, /*whole_sets=*/false, diagnostics) && good;
  const auto refuse = [&](const char* key, const char* other, const char* way_out) {
    diagnostics.Error(train.LocationOf(key), "'backup' and '", other, "' do not go together: ", way_out,
                      ", or leave out 'backup'");
    good = false;
  };
  if (ReplicasOf(train) == 1) refuse("backup", "replicas: 1", "write 'replicas' of 2 or more");
  if (train.strategy.flag("allreduce")) refuse("allreduce", "allreduce: true", "leave out 'allreduce'");
  return good;
}

Status AddSync(JobGraphDraft& draft) {
  const TrainSpec& train = *draft.spec.train;
  const auto count = static_cast<int>(ReplicasOf(train));
  if (BackupOf(train) > 0) return AddWithBackup(count, static_cast<int>(BackupOf(train)), draft);
  DF_ASSIGN(const Replicas replicas, Replicas::Add(draft, count));
  DF_ASSIGN(const Output learning_rate, AddLearningRate(replicas, draft.workers[0], {}, draft));
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
