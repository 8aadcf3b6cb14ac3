#include "src/job/resume_point.h"

#include <memory>
#include <utility>

#include "src/storage/hdf5_helpers.h"

namespace dfrun {

Result<std::optional<ResumePoint>> FindResumePoint(CheckpointStore& store, std::optional<int64_t> step,
                                                   const ResumedJob& job) {
  ResumePoint point;
  const auto fits = [&](const CheckpointStore::Checkpoint& checkpoint) -> Status {
    DF_ASSIGN(point.fit, FitCheckpoint(checkpoint, job));
    const auto helpers = std::make_shared<Hdf5Helpers>();
    for (const ShardEntry& shard : checkpoint.manifest.shards) {
      DF_TRY(CheckShard(checkpoint.directory + "/" + shard.file, shard.variables, helpers));
    }
    return Status();
  };
  if (step) {
    DF_ASSIGN(point.checkpoint, store.FindStep(*step, fits));
    return std::optional<ResumePoint>(std::move(point));
  }
  DF_ASSIGN(std::optional<CheckpointStore::Checkpoint> newest, store.FindNewest(fits));
  if (!newest) return std::optional<ResumePoint>();
  point.checkpoint = *std::move(newest);
  return std::optional<ResumePoint>(std::move(point));
}

}  // namespace dfrun
