// The differences between two runs, from the files of their directories alone.
#ifndef DFRUN_JOBS_RUNS_COMPARE_RUNS_H_
#define DFRUN_JOBS_RUNS_COMPARE_RUNS_H_

#include <string>

#include "src/base/status.h"

namespace dfrun::jobs {

struct RunDifferences {
  bool is_equal = true;  // in what specs say, in the bits of metrics and in the fingerprints of variables
  std::string text;      // for people, with times and machines, which do not count
};

// Compares two run directories. NoInput where one is none.
// Blocks: on files.
Result<RunDifferences> CompareRuns(const std::string& a, const std::string& b);

// Prints the text to stdout. Returns the exit code, 0 where the runs are equal, else 1.
Result<int> ShowDifferences(const std::string& a, const std::string& b);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RUNS_COMPARE_RUNS_H_
