// run.json of a run directory: the record of a run, with its program, spec, hosts, times and end.
#ifndef DFRUN_SRC_JOB_RUN_RECORD_H_
#define DFRUN_SRC_JOB_RUN_RECORD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/json/json_value.h"
#include "src/base/status.h"
#include "src/framework/device/device_memory.h"

namespace dfrun {

struct RunFacts {
  std::string version;             // version of the program
  std::string spec;                // path, as given
  std::vector<std::string> files;  // the spec's and those that it includes
  std::vector<std::string> sets;   // "key=value", as given
  std::vector<std::string> hosts;  // by rank
  int ranks = 1;
  int64_t from_step = 0;                      // steps that were done before
  int64_t steps = 0;                          // steps of the whole job
  std::string init_from = "null";             // InitPlan::ToJson(), where variables began so
  JsonValue hparams = {};                     // HParamsOf()
  std::vector<std::string> evaluations = {};  // their names
};

// Thread safety: one thread.
class RunRecord {
 public:
  // Writes the file without an end. One that is there, of a run that this one goes on from, becomes run-1.json or the
  // next free number. The texts of the spec's files are part of it.
  static Result<RunRecord> Begin(const std::string& path, const RunFacts& facts);
  // RunFacts::sets of a record; nothing where there is none that can be read.
  static std::optional<std::vector<std::string>> SetsOf(const std::string& path);
  // Sets the last known memory of each device.
  void SetMemory(std::vector<DeviceMemory> memory) { memory_ = std::move(memory); }
  // Sets why a training ended before its last step, and after which.
  void SetStopped(int64_t step, const std::string& reason);
  // Counts shares of replicas that run for themselves, by their staleness.
  void AddStaleness(const std::map<int64_t, int64_t>& shares);
  // Adds when and how the run ended. Where that cannot be written the log has a warning, and the record no end, as that
  // of a run that was killed.
  void End(const Status& status) const;

 private:
  RunRecord(std::string path, std::string facts) : path_(std::move(path)), facts_(std::move(facts)) {}
  std::string Print(const std::string& end, const std::string& exit, const std::string& error) const;

  std::string path_;
  std::string facts_;             // JSON members
  std::string stopped_ = "null";  // JSON
  std::vector<DeviceMemory> memory_;
  std::map<int64_t, int64_t> staleness_;  // shares by it
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RUN_RECORD_H_
