// The records of the starts of a run: run-1.json, run-2.json, ... and run.json, the last.
#ifndef DFRUN_JOBS_EXPORT_RUN_RECORDS_H_
#define DFRUN_JOBS_EXPORT_RUN_RECORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/json/json_value.h"

namespace dfrun::jobs {

struct RunStart {
  std::string spec;       // path, as given
  int64_t from_step = 0;  // steps that were done before
  double begin_s = 0;     // seconds since 1970
  double end_s = 0;       // seconds since 1970; 0: the record has no end
  int64_t exit = -1;      // exit code; -1: the record has no end
  JsonValue hparams = JsonValue::Object();
  std::vector<std::string> evaluations = {};  // their names
};

// Reads the records of a run directory, the earliest first. NoInput where there is no run.json.
Result<std::vector<RunStart>> ReadRunRecords(const std::string& run);

// Returns the start that did a step: the last that came before it. `starts` is not empty.
const RunStart& StartOfStep(const std::vector<RunStart>& starts, int64_t step);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EXPORT_RUN_RECORDS_H_
