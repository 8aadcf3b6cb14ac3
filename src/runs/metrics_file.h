// metrics.jsonl as it is read back (src/job/metrics_log.h writes it): line by line, or its last values alone.
#ifndef DFRUN_SRC_RUNS_METRICS_FILE_H_
#define DFRUN_SRC_RUNS_METRICS_FILE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/runs/line_reader.h"

namespace dfrun {

struct MetricValue {
  std::string_view name;
  std::string_view json;  // a number, true, false, or a text in quotes
};

// A line. The views point into the line's text and into `unescaped`.
struct MetricsLine {
  int64_t step = 0;
  double wall_s = 0;
  std::vector<MetricValue> values;    // all but step and wall_s
  std::deque<std::string> unescaped;  // names that are written with escapes
};

// Reads a line into `line`; false for one that was cut short, or is another's. `text` outlives what is read.
// Thread safety: any thread.
bool ReadMetricsLine(std::string_view text, MetricsLine* line);

// The value as a number; "NaN", "Infinity" and "-Infinity" are what they say, true is 1. Nothing for other texts.
std::optional<double> NumberOf(std::string_view json);

// Whether the metric is one of times, of the share of waiting or of memory, which differ from run to run.
bool IsOfMachine(std::string_view name);

// Reads the lines of a file. What is no whole line is passed over: a run that was killed leaves such an end.
// Thread safety: one thread.
class MetricsReader {
 public:
  // NotFound where the file is missing.
  static Result<MetricsReader> Open(const std::string& path);
  // Reads the next line; false at the end. The line lasts until the next call.
  Result<bool> Next(MetricsLine* line);

 private:
  explicit MetricsReader(LineReader lines) : lines_(std::move(lines)) {}

  LineReader lines_;
};

// A metric's last value.
struct LastMetric {
  std::string name;
  std::string json;
  int64_t step = 0;
};

// A metric's best value.
struct BestMetric {
  double value = 0;
  int64_t step = 0;
};

// The metric by which a run is compared, where its spec names one.
struct MetricGoal {
  std::string metric;
  bool is_max = false;
};

struct MetricsEnd {
  int64_t step = 0;              // the last one of the file
  double wall_s = 0;             // seconds, in that line
  std::vector<LastMetric> last;  // without those of machines, sorted by name
  std::optional<BestMetric> best;
};

// Reads the file's end, as much of it as gives the last values of the training's metrics and of those of the
// evaluations, and no more than the last 64 MiB. With a goal its best value is found too: the earlier of equal ones,
// and never NaN. NotFound where the file is missing. Thread safety: any thread. Blocks: on the file.
Result<MetricsEnd> ReadMetricsEnd(const std::string& path, const std::vector<std::string>& evaluations,
                                  const std::optional<MetricGoal>& goal);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_METRICS_FILE_H_
