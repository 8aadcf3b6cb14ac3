#include "jobs/export/metrics_table.h"

#include <map>

#include "src/base/file.h"
#include "src/base/json/json_reader.h"
#include "src/runs/metrics_file.h"

namespace dfrun::jobs {
namespace {

constexpr size_t kMaxMetricsBytes = size_t{4} << 30;

class Reader {
 public:
  Status Read(std::string_view line) {
    DF_ASSIGN(const JsonValue object, ParseJson(line));
    MetricsTable::Line& row = table_.lines.emplace_back();
    DF_ASSIGN(row.step, object.GetInt("step"));
    DF_ASSIGN(row.wall_s, object.GetDouble("wall_s"));
    for (size_t i = 0; i < object.names().size(); ++i) {
      const std::string& name = object.names()[i];
      if (name != "step" && name != "wall_s") row.cells.push_back({ColumnOf(name), object.values()[i]});
    }
    return Status();
  }

  MetricsTable Take() { return std::move(table_); }

 private:
  size_t ColumnOf(const std::string& name) {
    const auto [column, is_new] = column_.try_emplace(name, table_.columns.size());
    if (is_new) table_.columns.push_back(name);
    return column->second;
  }

  MetricsTable table_;
  std::map<std::string, size_t> column_;
};

}  // namespace

Result<MetricsTable> ReadMetrics(const std::string& path) {
  DF_ASSIGN(const std::string text, ReadFile(path, kMaxMetricsBytes));
  Reader reader;
  int64_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    ++number;
    const Status read = reader.Read(std::string_view(text).substr(at, end - at));
    if (!read.ok()) return Error(Code::kDataLoss, path, ":", number, ": no line of metrics.jsonl: ", read.message());
    at = end + 1;
  }
  return reader.Take();
}

std::optional<double> NumberOf(const JsonValue& cell) {
  return dfrun::NumberOf(cell.Print());
}

}  // namespace dfrun::jobs
