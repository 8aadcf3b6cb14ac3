// The checkpoint that a job goes on from.
#ifndef DFRUN_SRC_JOB_RESUME_POINT_H_
#define DFRUN_SRC_JOB_RESUME_POINT_H_

#include <cstdint>
#include <optional>

#include "src/job/checkpoint_fit.h"

namespace dfrun {

struct ResumePoint {
  CheckpointStore::Checkpoint checkpoint;
  CheckpointFit fit;
};

// Finds the newest checkpoint that is whole and fits the job, or that of `step`; nothing where there is none at all.
// Errors are those of CheckpointStore and FitCheckpoint().
// Blocks: on reads of all its files.
Result<std::optional<ResumePoint>> FindResumePoint(CheckpointStore& store, std::optional<int64_t> step,
                                                   const ResumedJob& job);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RESUME_POINT_H_
