#include "jobs/export/metric_rows.h"

#include <map>

namespace dfrun::jobs {

std::vector<MetricRow> RowsOf(const MetricsTable& table) {
  std::map<int64_t, MetricRow> by_step;
  for (const MetricsTable::Line& line : table.lines) {
    const auto [found, is_new] = by_step.try_emplace(line.step);
    MetricRow& row = found->second;
    if (is_new) {
      row.step = line.step;
      row.wall_s = line.wall_s;
      row.cells.resize(table.columns.size(), nullptr);
    }
    for (const MetricsTable::Cell& cell : line.cells) row.cells[cell.column] = &cell.value;
  }
  std::vector<MetricRow> rows;
  rows.reserve(by_step.size());
  for (auto& [step, row] : by_step) rows.push_back(std::move(row));
  return rows;
}

}  // namespace dfrun::jobs
