// Metrics as CSV: a header, then a row a step. A value has the digits of metrics.jsonl.
#include "jobs/export/exporter.h"
#include "jobs/export/metric_rows.h"
#include "jobs/output_file.h"

namespace dfrun::jobs {
namespace {

// A field by RFC 4180.
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string TextOf(const JsonValue* cell) {
  if (cell == nullptr) return "";
  const Result<std::string> text = cell->AsText();
  return Field(text.ok() ? *text : cell->Print());
}

Status ExportCsv(const ExportRequest& request) {
  const OutputFile file{"--out", request.out, request.force, {request.run}};
  DF_TRY(file.Check());
  std::string text = "step,wall_s";
  for (const std::string& column : request.metrics.columns) text += "," + Field(column);
  text += "\n";
  for (const MetricRow& row : RowsOf(request.metrics)) {
    text += StrCat(row.step, ",", *JsonValue::Double(row.wall_s).AsText());
    for (const JsonValue* cell : row.cells) text += "," + TextOf(cell);
    text += "\n";
  }
  return file.WriteText(text);
}

EXPORTER("csv", "a row a step, a column a metric", &ExportCsv);

}  // namespace
}  // namespace dfrun::jobs
