// An observer of a running job: the log of metrics, a person's terminal, a writer of summaries.
#ifndef DFRUN_SRC_JOB_JOB_OBSERVER_H_
#define DFRUN_SRC_JOB_JOB_OBSERVER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "src/framework/device/device_memory.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Results of a step or an evaluation, by name.
struct JobResults {
  int64_t step = 0;   // steps that are done
  int64_t steps = 0;  // steps of the whole job
  double wall_s = 0;  // since the job began
  // The values may have any dtype and shape. The runtime owns their memory: an observer must drop them before it ends.
  std::span<const std::pair<std::string, Tensor>> values;
  // For a logged step of a training: its own numbers (src/job/step_metrics.h), those that are the same in every run and
  // those that are not.
  std::span<const std::pair<std::string, Tensor>> schedule = {};
  std::span<const std::pair<std::string, Tensor>> timings = {};
  // For a logged step of a training: the contents of the devices' memory, by rank and device.
  std::span<const DeviceMemory> memory = {};
  // For OnSummaries(): strings, serialised Summary messages (src/storage/summary.proto).
  std::span<const Tensor> summaries = {};
  // The fingerprint of all variables after the step, where it was computed, and those of each, by sorted names.
  std::optional<uint64_t> state = {};
  std::span<const uint64_t> fingerprints = {};
};

// The methods are called on the thread that leads the job, between two steps: a method that blocks delays the next
// step. An error that is returned ends the job.
class JobObserver {
 public:
  virtual ~JobObserver() = default;
  // Something a person should know once: "resumed at step 400 from ...".
  virtual void OnMessage(const std::string&) {}
  // Called once, before the first step: `step` steps are done, of `steps` in all.
  virtual void OnBegin(int64_t /*step*/, int64_t /*steps*/) {}
  // Called after a logged step, with its fetches and the job's own counts.
  virtual Status OnStep(const JobResults&) { return Status(); }
  virtual Status OnEvaluation(const JobResults&) { return Status(); }
  // Called after a step that makes summaries, after OnStep() where it is logged too.
  virtual Status OnSummaries(const JobResults&) { return Status(); }
  // Called before a checkpoint of `step` is committed. An observer that keeps its news in files has them on the disk
  // when it returns: a job that goes on from the checkpoint does not tell them again.
  virtual Status OnSave(int64_t /*step*/) { return Status(); }
  // Called once, where OnBegin() was: the job ends with this status.
  virtual void OnEnd(const Status&) {}
};

// Whether a value is one real number or bool, which a line of text can hold.
bool IsNumber(const Tensor& value);

// The one number that `number` holds, a real one or a bool, as a double.
double ToDouble(const Tensor& number);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_JOB_OBSERVER_H_
