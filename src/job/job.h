// Runs the job of a spec from its first step, or from its newest checkpoint, to its last.
#ifndef DFRUN_SRC_JOB_JOB_H_
#define DFRUN_SRC_JOB_JOB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/costs/cost_table.h"
#include "src/job/job_observer.h"
#include "src/session/runtime.h"
#include "src/spec/job_spec.h"

namespace dfrun {

struct JobOptions {
  std::string output;  // run directory
  bool resume = false;
  std::optional<int64_t> resume_step;  // the checkpoint to go on from, with `resume`; default: the newest
  bool optimize = true;
  std::vector<std::string> without_passes = {};  // see SessionOptions::without_passes
  bool check_numerics = false;                   // only for a `run` job; see SessionOptions::check_numerics
  CostTable costs = {};                          // for `placement: {kind: simulated}`
  int64_t trace_steps = -1;                      // steps to trace; -1: as the spec says
  // Facts for the record of the run.
  std::string version;
  std::vector<std::string> sets;
  FileRules files = {};  // the files that ops may open; when confined, the run directory's too
  // The time that a request to stop waits for the step in progress, less the time of the last save.
  double grace_s = 20;
};

// Runs a job on rank 0; the other ranks are in Worker::Serve(). Writes the run directory: a line of metrics.jsonl for
// each logged step, checkpoints, traces; for a `run` job also the values of its last step in fetches.h5; run.json.
// Nothing there is changed before it is known that the job may begin: an error until then leaves the directory as it
// was, and so does a job whose steps are all done. `observers` must outlive the call and are told in their order, after
// the log of metrics. Where the runtime is asked to stop, the job ends after the step in progress: with a checkpoint
// where the spec writes some (Requeue; Interrupted at SIGINT), else with the error of the signal.
// Blocks: until the job is over.
Status RunJob(Runtime& runtime, const LoadedSpec& spec, const JobOptions& options, std::vector<JobObserver*> observers);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_JOB_H_
