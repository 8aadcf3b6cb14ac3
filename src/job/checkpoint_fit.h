// The fit of a checkpoint to a job that is to go on from it: whether the job can, and the differences of the two.
#ifndef DFRUN_SRC_JOB_CHECKPOINT_FIT_H_
#define DFRUN_SRC_JOB_CHECKPOINT_FIT_H_

#include <string>
#include <vector>

#include "src/checkpoint/store.h"
#include "src/job/saved_settings.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

// The fit of a checkpoint to a job that can go on from it. Pointers are into the JobGraph.
struct CheckpointFit {
  std::vector<const KeptState*> anew;  // state that the checkpoint lacks; it begins as in a new job
  std::vector<std::string> unused;     // state that the checkpoint has and the job does not
  std::string changes;                 // changed settings: DescribeChanges()
  std::vector<std::string> rules;      // changed rules of the program: DescribeRuleChanges()
};

// A job that is to go on.
struct ResumedJob {
  const JobSpec& spec;
  const JobGraph& graph;
  const std::vector<SavedSetting>& settings;  // SettingsOf() the spec
  const std::vector<std::string>& rules;      // RulesConcerning() the job
};

// Compares the two. BadSpec where the checkpoint has not all variables of the job in their dtypes and shapes, or where
// an input holds other samples or classes; DataLoss where the checkpoint lacks parts that its manifest names. A state
// other than a variable's may be missing as a whole, but not in part; the position of an input may be missing if the
// checkpoint does not name the input, a slot of a variable that was frozen then, and what another strategy does
// without.
Result<CheckpointFit> FitCheckpoint(const CheckpointStore::Checkpoint& checkpoint, const ResumedJob& job);

// A step that restores the job from the checkpoint, and begins anew the state that the checkpoint lacks.
struct RestoreStep {
  RunSignature signature;
  std::vector<Tensor> feeds;
};
RestoreStep RestoreFrom(const CheckpointStore::Checkpoint& checkpoint, const CheckpointFit& fit, const JobGraph& graph);

// One sentence for the user about all that does not match; "" where all does.
std::string DescribeFit(const CheckpointStore::Checkpoint& checkpoint, const CheckpointFit& fit);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_CHECKPOINT_FIT_H_
