// The files that a job writes into its run directory as it goes, beside checkpoints: run.json, metrics.jsonl,
// state.bin, spec.yaml and event files; and the observers, which are told what happens.
#ifndef DFRUN_SRC_JOB_JOB_OUTPUT_H_
#define DFRUN_SRC_JOB_JOB_OUTPUT_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/job/event_files.h"
#include "src/job/job_observer.h"
#include "src/job/metrics_log.h"
#include "src/job/run_directory.h"
#include "src/job/run_record.h"
#include "src/job/state_log.h"
#include "src/job/variable_states.h"
#include "src/partition/partition.h"
#include "src/session/session.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// The job as its files begin.
struct JobOutputStart {
  RunFacts facts;                        // all but `evaluations` and `hparams`, which are the spec's
  std::vector<std::string> evaluations;  // names of those that are made once more for the step to begin with
  int64_t trace_until = 0;               // the step until which a trace is written; no greater than from_step: none is
};

// Thread safety: one thread.
class JobOutput {
 public:
  // The observers outlive this object and are told after the log of metrics, in their order.
  JobOutput(const LoadedSpec& spec, std::vector<JobObserver*> observers)
      : spec_(spec), observers_(std::move(observers)) {}

  // Before Open(): the graph that is shown, by the partitions of a step.
  void ShowGraph(const std::vector<Partition>& partitions);
  // Opens the files of the directory, which is held, cut back to the step to begin with. `fingerprints`: those of
  // JobGraph. An error is that of the first file which cannot be written.
  Status Open(const RunDirectory& directory, const std::vector<FingerprintFetch>& fingerprints, JobOutputStart start);
  // Whether Open() has been called and has opened all.
  bool is_open() const { return record_ != nullptr; }

  // Tells the observers; see JobObserver.
  void TellMessage(const std::string& text) const;
  void TellBegin(int64_t step, int64_t steps) const;
  // `fingerprints`: what the step fetched of them, in the order of those of Open(); empty: it has fetched none.
  Status TellStep(JobResults results, std::span<const Tensor> fingerprints);
  Status TellEvaluation(const JobResults& results) const { return Tell(&JobObserver::OnEvaluation, results); }
  Status TellSummaries(const JobResults& results) const { return Tell(&JobObserver::OnSummaries, results); }
  // How many shares had which staleness, since the last call: a histogram.
  Status TellStaleness(JobResults results, const std::map<int64_t, int64_t>& shares);
  Status TellSave(int64_t step) const;
  // Ends the record, and tells the observers. After Open().
  void End(const Status& status) const;

  // After Open().
  RunRecord& record() { return *record_; }
  // Writes the rows of variables for a projector, where the spec asks for events and for these. What cannot be written
  // is a warning: a projector is no reason to end a job.
  void WriteShownEmbeddings(Session& session) const;

 private:
  Status OpenStateLog(const std::string& path, const std::vector<FingerprintFetch>& fingerprints, int64_t step);
  void OpenEvents(const RunDirectory& directory, const JobOutputStart& start);
  Status Tell(Status (JobObserver::*event)(const JobResults&), const JobResults& results) const;

  const LoadedSpec& spec_;
  std::vector<JobObserver*> observers_;  // the log of metrics first, once it is open
  std::unique_ptr<MetricsLog> metrics_;
  std::optional<VariableStates> states_;  // nothing: the job has no fingerprints
  std::unique_ptr<StateLog> state_log_;
  std::unique_ptr<EventFiles> events_;  // null: the spec wants none
  std::unique_ptr<RunRecord> record_;
  std::string shown_graph_;  // EventFiles::SetGraph(), until it has it
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_JOB_OUTPUT_H_
