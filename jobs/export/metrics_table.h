// The metrics.jsonl of a run directory, as a table.
#ifndef DFRUN_JOBS_EXPORT_METRICS_TABLE_H_
#define DFRUN_JOBS_EXPORT_METRICS_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/json/json_value.h"

namespace dfrun::jobs {

// Thread safety: as a standard container.
struct MetricsTable {
  struct Cell {
    size_t column;  // index in `columns`
    JsonValue value;
  };
  // A line of the file.
  struct Line {
    int64_t step = 0;
    double wall_s = 0;
    std::vector<Cell> cells;
  };
  std::vector<std::string> columns;  // in the order in which they first come
  std::vector<Line> lines;
};

// Reads the file. DataLoss names the line that is none of metrics.jsonl; a last line that was cut short is left out.
Result<MetricsTable> ReadMetrics(const std::string& path);

// The number that a cell holds; nothing where it is a text. "NaN", "Infinity" and "-Infinity" are numbers.
std::optional<double> NumberOf(const JsonValue& cell);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EXPORT_METRICS_TABLE_H_
