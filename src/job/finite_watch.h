// Watches a job for values that are not finite, in the loss and the gradients of a step and in variables that are to be
// saved, and stops or goes on as the spec says.
#ifndef DFRUN_SRC_JOB_FINITE_WATCH_H_
#define DFRUN_SRC_JOB_FINITE_WATCH_H_

#include <optional>
#include <string>

#include "src/job/backup_runs.h"
#include "src/job/capture_writer.h"
#include "src/job/share_runs.h"
#include "src/session/session.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Thread safety: one thread, between steps. The arguments outlive it; the job's graph has moved into the session.
class FiniteWatch {
 public:
  // The node that a message names is written by `captures`.
  FiniteWatch(const JobSpec& spec, const JobGraph& parts, Session& session, CaptureWriter& captures);

  // The current row of steps behind each other that were not finite, for steps that are asked for at once.
  NotFiniteRow& row() { return row_; }
  // Checks steps after they have run: AfterSteps() those that went into row(), the last of which is `step`; AfterStep()
  // one that did not. kNotFinite where the job is to stop. With `stop` the step has been run again, as if it had not
  // been, and the error names the node where the fault began; with `skip` the step after it, whose updates nothing
  // makes.
  Status AfterSteps(int64_t step);
  Status AfterStep(int64_t step);
  // Checks replicas that are gated by their own findings, which steps do not tell: `findings` is what
  // JobGraph::replica_findings fetches. BeginReplicas() takes what a job begins with.
  Status AfterReplicas(int64_t step, const Tensor& findings);
  void BeginReplicas(const Tensor& findings);
  // State for a checkpoint: the number of last steps, or shares, behind each other, that made no updates.
  int64_t skipped_steps() const;
  void Resume(int64_t skipped_steps);
  // Steps that were not finite since the last call; nothing where the job stops at the first.
  std::optional<int64_t> TakeCount();
  // "2 of the steps up to 40 ...", for a person; `count` above 0, as TakeCount() gave it. Once.
  std::string Describe(int64_t step, int64_t count);

  // Replicas with backup, which find what is not finite by themselves. They outlive it.
  void SetBackup(BackupRuns& backup) { backup_ = &backup; }
  // Replicas that run for themselves report which shares were not finite. Whether these are counted: not where the job
  // stops at the first.
  bool CountsShares() const { return spec_.train->on_nan != TrainSpec::OnNan::kStop; }
  // Takes the end of a period of such replicas.
  void AfterShares(const SharesEnd& end) { row_.length = end.row; }
  // A sentence like that of Describe(); `first_found`: the number that the gates of the first such share have found.
  std::string DescribeShares(int64_t step, int64_t count, int32_t first_found) const;
  // kNotFinite: why the share ended the job.
  Status ExplainShare(const SharesEnd& end);

  // Describes the values that are not finite among the variables to be saved, in a sentence; "" where all are finite.
  Result<std::string> FindInVariables();
  // Returns kNotFinite where the job must stop, because the values that FindInVariables() found, `found`, must not be
  // saved.
  Status RefuseToSave(int64_t step, const std::string& found) const;

 private:
  // The result of a second run of the step.
  struct Again {
    Status found;  // kNotFinite: which node
    std::vector<Tensor> checked;
  };
  // The node where it began: its location in the spec, "" where it has none, and the rest of a sentence.
  struct Origin {
    std::string location;
    std::string text;
  };

  bool HasReplicas() const { return parts_.sync_every > 0; }
  Result<Again> RunAgain(bool optimize);
  Result<Again> RunAgain();
  // Describes the values that were not finite in a second run; "" where all were finite then.
  std::string Culprit(const std::vector<Tensor>& checked) const;
  // "the loss"; of a number as of src/graph/update_gate.h.
  std::string NameOf(int32_t number) const;
  // The origin in step `step`, which is captured.
  Origin OriginOf(const Again& again, int64_t step);
  Status ExplainStop(int64_t step, const std::string& was);
  Status ExplainStopWithBackup(int64_t step, const std::string& was);
  // The origin of what is not finite in the share at `position` of step `step`, which is computed once more from the
  // variables as they are; an empty one where all is finite then. No period is open.
  Result<Origin> OriginInShare(int64_t replica, int64_t position, int64_t step);
  // ", of the rows 64 to 79 of the stream of input 'batch'"; "" where the loss reads none.
  std::string RowsOfShare(int64_t position) const;
  Status ExplainSkipped(int64_t step);

  const JobSpec& spec_;
  const JobGraph& parts_;
  Session& session_;
  CaptureWriter& captures_;
  BackupRuns* backup_ = nullptr;  // null: there is none
  NotFiniteRow row_;
  int64_t seen_ = 0;         // steps of Session::steps_not_finite() that AfterStep() knows
  int64_t counted_ = 0;      // steps of Session::steps_not_finite(), or of replicas, that TakeCount() has told
  int64_t of_replicas_ = 0;  // steps of replicas that were not finite
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_FINITE_WATCH_H_
