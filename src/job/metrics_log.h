// metrics.jsonl: a line a logged step, {"step": 10, "wall_s": 0.51, "loss": 1.25}. Values that differ from run to run,
// the time, the timings of a training ("samples_per_s", "waiting/mean") and the memory of each device
// ("memory/job:worker/task:0/device:cpu:0": 65536), come first. Scalars are printed so that they read back bit-equal;
// values for which JSON has no number are the strings "NaN", "Infinity" and "-Infinity". The fingerprint
// of all variables comes last, where it was computed: "state": "0123456789abcdef".
#ifndef DFRUN_SRC_JOB_METRICS_LOG_H_
#define DFRUN_SRC_JOB_METRICS_LOG_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/base/file.h"
#include "src/framework/values/tensor.h"
#include "src/job/job_observer.h"

namespace dfrun {

// A scalar as JSON with the digits that its dtype needs: floats 9, doubles 17, integers all.
// InvalidArgument for a tensor that is no number, bool or string scalar.
Result<std::string> ScalarToJson(const Tensor& value);

// The members of the line of a logged step or an evaluation, from "wall_s" on; values that are not one number each are
// left out.
Result<std::string> MembersOfLine(const JobResults& results);

// Thread safety: one thread.
class MetricsLog final : public JobObserver {
 public:
  // Opens the file for appending. Lines of steps beyond `keep_through` and a last line that was cut short are removed,
  // so that a resumed run does not log a step twice; likewise lines of that step of the evaluations in `again`, which
  // are to be made once more. kIo where the name is not that of a regular file.
  static Result<MetricsLog> Open(const std::string& path, int64_t keep_through,
                                 const std::vector<std::string>& again = {});

  // Appends a line and gives it to the system. kIo where that fails, and where the file has been removed meanwhile.
  // A value that is no scalar is an error.
  Status Append(const JobResults& results);

  // A line of the results that are numbers.
  Status OnStep(const JobResults& results) override;
  // A line of all of them.
  Status OnEvaluation(const JobResults& results) override { return Append(results); }
  // Syncs the file: all lines are on the disk when it returns.
  Status OnSave(int64_t /*step*/) override { return file_.Sync(); }

 private:
  explicit MetricsLog(FileDescriptor file) : file_(std::move(file)) {}
  Status CheckStillThere() const;

  FileDescriptor file_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_METRICS_LOG_H_
