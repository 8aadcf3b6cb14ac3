// The steps at which the metrics of two runs differ.
#ifndef DFRUN_SRC_RUNS_METRIC_DIFFERENCES_H_
#define DFRUN_SRC_RUNS_METRIC_DIFFERENCES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

struct MetricDifference {
  int64_t step = 0;
  std::string name;
  std::string a;  // its text in metrics.jsonl; empty: the run has none
  std::string b;
};

// The largest difference; infinite where a value that is not finite stands beside another.
struct LargestDifference {
  double value = 0;  // absolute, or relative to the larger of the two magnitudes
  MetricDifference of;
};

// The time between logged lines of one start, without that of evaluations, and the steps between them.
struct StepTime {
  double seconds = 0;
  int64_t steps = 0;
};

struct MetricsComparison {
  int64_t steps = 0;                    // logged steps that both runs have
  std::vector<MetricDifference> first;  // differences of the first step of both where a metric differs
  std::optional<LargestDifference> absolute;
  std::optional<LargestDifference> relative;
  std::optional<int64_t> first_only_a;  // the first step that only this run has logged
  std::optional<int64_t> first_only_b;
  std::optional<int64_t> first_state;  // the first step of both whose fingerprints of all variables differ
  int64_t states = 0;                  // steps of both with such fingerprints
  StepTime time_a;
  StepTime time_b;

  bool is_equal() const { return first.empty() && !first_only_a && !first_only_b && !first_state; }
};

// Compares the values of the same step and name, bit by bit: their texts read back to the same bits. Metrics of time
// and memory do not count. The files may be of any length. NotFound where one is missing. Thread safety: any thread.
// Blocks: on the files.
Result<MetricsComparison> CompareMetrics(const std::string& a, const std::string& b);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_METRIC_DIFFERENCES_H_
