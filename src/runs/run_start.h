// run.json of a run directory as it is read back (src/job/run_record.h writes it): the record of one start of a run.
#ifndef DFRUN_SRC_RUNS_RUN_START_H_
#define DFRUN_SRC_RUNS_RUN_START_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/json/json_value.h"

namespace dfrun {

struct RunStart {
  std::string version;  // version of dfrun
  std::string spec;
  std::string directory;  // from which it was started
  std::vector<std::string> sets;
  std::vector<std::string> hosts;  // by rank
  int64_t ranks = 0;
  std::optional<int64_t> from_step;  // steps that were done before
  std::optional<int64_t> steps;      // steps of the whole job; records of older versions have none
  std::string begin;                 // "2026-01-31T23:59:59Z"
  std::string end;                   // empty: it runs, or was killed
  std::optional<int64_t> exit;
  std::string error;
  std::string stopped;  // the reason why a training ended before its last step
  JsonValue hparams = JsonValue::Object();
  std::vector<std::string> evaluations;  // their names
};

// Reads a record. DataLoss where the file is no such one, NotFound where it is missing. Members of other versions are
// passed over.
// Thread safety: any thread.
Result<RunStart> ReadRunStart(const std::string& path);

// Reads the records of the starts that the one of run.json went on from, run-1.json and so on, in their order. It ends
// before the first that cannot be read.
std::vector<RunStart> ReadEarlierStarts(const std::string& run);

// Seconds since 1970 of a time of a record; nothing for another text.
std::optional<int64_t> SecondsOf(const std::string& time);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_RUN_START_H_
