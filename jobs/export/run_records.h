// The records of the starts of a run: run-1.json, run-2.json, ... and run.json, the last.
#ifndef DFRUN_JOBS_EXPORT_RUN_RECORDS_H_
#define DFRUN_JOBS_EXPORT_RUN_RECORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/runs/run_start.h"

namespace dfrun::jobs {

// A record with all that an export takes of it.
struct ExportedStart {
  RunStart record;
  int64_t from_step = 0;  // steps that were done before
  double begin_s = 0;     // seconds since 1970
  double end_s = 0;       // seconds since 1970; 0: the record has no end
  int64_t exit = -1;      // exit code; -1: the record has no end
};

// Reads the records of a run directory, the earliest first. NoInput where there is no run.json; DataLoss for a record
// that lacks what an export takes.
Result<std::vector<ExportedStart>> ReadRunRecords(const std::string& run);

// Returns the start that did a step: the last that came before it. `starts` is not empty.
const ExportedStart& StartOfStep(const std::vector<ExportedStart>& starts, int64_t step);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EXPORT_RUN_RECORDS_H_
