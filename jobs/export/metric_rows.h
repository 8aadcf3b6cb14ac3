// Rows of a table of metrics: the lines of one step, of the training and of evaluations, are one.
#ifndef DFRUN_JOBS_EXPORT_METRIC_ROWS_H_
#define DFRUN_JOBS_EXPORT_METRIC_ROWS_H_

#include <vector>

#include "jobs/export/metrics_table.h"

namespace dfrun::jobs {

struct MetricRow {
  int64_t step = 0;
  double wall_s = 0;                    // that of the first line
  std::vector<const JsonValue*> cells;  // by MetricsTable::columns; null: the step has none
};

// Returns the rows in the order of their steps; they point into the table.
std::vector<MetricRow> RowsOf(const MetricsTable& table);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EXPORT_METRIC_ROWS_H_
