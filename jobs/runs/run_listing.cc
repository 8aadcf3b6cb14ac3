#include "jobs/runs/run_listing.h"

#include <cmath>
#include <cstdio>

#include "jobs/json.h"
#include "jobs/text_table.h"
#include "src/base/json/json_value.h"
#include "src/base/printable.h"
#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

// "12.3s", "3m05s", "1h02m", "2d03h".
std::string TimeText(double seconds) {
  char text[64];
  const auto whole = static_cast<int64_t>(seconds);
  if (seconds < 60) {
    std::snprintf(text, sizeof text, "%.1fs", seconds);
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%dm%02ds", static_cast<int>(whole / 60), static_cast<int>(whole % 60));
  } else if (whole < 86400) {
    std::snprintf(text, sizeof text, "%dh%02dm", static_cast<int>(whole / 3600), static_cast<int>(whole / 60 % 60));
  } else {
    std::snprintf(text, sizeof text, "%lldd%02dh", static_cast<long long>(whole / 86400),
                  static_cast<int>(whole / 3600 % 24));
  }
  return text;
}

std::string TextIn(const RunCells& cells, const std::string& name) {
  const auto cell = cells.find(name);
  return cell == cells.end() ? "" : cell->second.text;
}

// A number with the digits that a table has room for.
std::string ShortNumber(const RunCells& cells, const std::string& name) {
  const auto cell = cells.find(name);
  if (cell == cells.end()) return "-";
  if (!cell->second.number) return PrintableLine(cell->second.text);
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *cell->second.number);
  return text;
}

// The name under which a cell always has the param, also where a metric is called so.
std::string CellOfParam(const std::string& name) {
  return "params." + name;
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string CsvLine(const std::vector<std::string>& fields) {
  return Join(fields, ",", CsvField) + "\n";
}

JsonValue TextOrNull(const std::string& text) {
  return text.empty() ? JsonValue() : JsonValue::Text(text);
}

JsonValue IntOrNull(const std::optional<int64_t>& number) {
  return number ? JsonValue::Number(StrCat(*number)) : JsonValue();
}

// The value of metrics.jsonl as it stands there, but for texts.
JsonValue MetricJson(const std::string& json) {
  std::string_view rest = json;
  std::optional<std::string> text = TakeJsonString(rest);
  return text ? JsonValue::Text(*std::move(text)) : JsonValue::Number(json);
}

JsonValue BestJson(const RunSummary& run) {
  if (!run.metrics.best) return {};
  JsonValue best = JsonValue::Object();
  best.Set("metric", JsonValue::Text(run.goal->metric)).Set("mode", JsonValue::Text(run.goal->is_max ? "max" : "min"));
  best.Set("step", JsonValue::Number(StrCat(run.metrics.best->step)));
  best.Set("value", JsonValue::Number(JsonNumber(run.metrics.best->value)));
  return best;
}

JsonValue ToJson(const RunSummary& run) {
  const RunCells cells = CellsOf(run);
  JsonValue params = JsonValue::Object();
  for (const auto& [name, value] : run.params) params.Append(name, JsonValue::Text(value));
  JsonValue last = JsonValue::Object();
  for (const LastMetric& metric : run.metrics.last) last.Append(metric.name, MetricJson(metric.json));
  const RunStart start = run.start.value_or(RunStart());
  JsonValue object = JsonValue::Object();
  object.Set("run", JsonValue::Text(run.path)).Set("name", TextOrNull(run.name));
  object.Set("state", JsonValue::Text(TextIn(cells, "state"))).Set("exit", IntOrNull(start.exit));
  object.Set("error", TextOrNull(start.error)).Set("stopped", TextOrNull(start.stopped));
  object.Set("step", IntOrNull(run.metrics.step)).Set("steps", IntOrNull(run.steps));
  object.Set("time_s", JsonValue::Number(JsonNumber(run.time_s)));
  object.Set("begin", TextOrNull(start.begin)).Set("ranks", IntOrNull(start.ranks));
  object.Set("params", std::move(params)).Set("last", std::move(last)).Set("best", BestJson(run));
  return object;
}

}  // namespace

std::string RunTable(const std::vector<RunSummary>& runs) {
  const RunColumns columns = ColumnsOf(runs);
  std::vector<std::vector<std::string>> rows(1, {"run", "state", "step", "time"});
  for (const auto* const names : {&columns.params, &columns.best, &columns.last}) {
    for (const std::string& name : *names) rows[0].push_back(PrintableLine(name));
  }
  for (const RunSummary& run : runs) {
    const RunCells cells = CellsOf(run);
    std::vector<std::string> row = {PrintableLine(run.path), DescribeState(run.state, run.start),
                                    StrCat(run.metrics.step, "/", run.steps ? StrCat(*run.steps) : "?"),
                                    TimeText(run.time_s)};
    for (const std::string& name : columns.params) {
      const auto value = run.params.find(name);
      row.push_back(value == run.params.end() ? "-" : PrintableLine(value->second));
    }
    for (const std::string& name : columns.best) row.push_back(ShortNumber(cells, name));
    for (const std::string& name : columns.last) row.push_back(ShortNumber(cells, name));
    rows.push_back(std::move(row));
  }
  return TextTable(rows);
}

std::string RunCsv(const std::vector<RunSummary>& runs) {
  const RunColumns columns = ColumnsOf(runs);
  std::vector<std::string> names = {"run", "name", "state", "exit", "step", "steps", "time", "begin", "ranks"};
  std::vector<std::string> cells_of = names;
  for (const std::string& name : columns.params) {
    names.push_back(name);
    cells_of.push_back(CellOfParam(name));
  }
  for (const auto* const more : {&columns.best, &columns.last}) {
    names.insert(names.end(), more->begin(), more->end());
    cells_of.insert(cells_of.end(), more->begin(), more->end());
  }
  std::string csv = CsvLine(names);
  for (const RunSummary& run : runs) {
    const RunCells cells = CellsOf(run);
    std::vector<std::string> fields;
    for (const std::string& name : cells_of) fields.push_back(TextIn(cells, name));
    csv += CsvLine(fields);
  }
  return csv;
}

std::string RunJson(const std::vector<RunSummary>& runs) {
  return StrCat("[", Join(runs, ",\n ", [](const RunSummary& run) { return ToJson(run).Print(); }), "]\n");
}

}  // namespace dfrun::jobs
