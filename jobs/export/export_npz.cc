// Metrics as an archive of NumPy: an array of float64 a metric, with an element a step, NaN where the step has no
// value.
#include <cmath>
#include <limits>

#include "jobs/export/exporter.h"
#include "jobs/export/metric_rows.h"
#include "jobs/export/zip_writer.h"
#include "jobs/output_file.h"

namespace dfrun::jobs {
namespace {

// The content of a .npy file with these values, in version 1 of the format.
std::string NpyOf(const std::vector<double>& values) {
  constexpr size_t kBlock = 64;
  constexpr size_t kBegin = 10;  // magic, version and the header's length
  std::string header = StrCat("{'descr': '<f8', 'fortran_order': False, 'shape': (", values.size(), ",), }");
  header.append(kBlock - 1 - (kBegin + header.size()) % kBlock, ' ').push_back('\n');
  std::string file("\x93NUMPY\x01\x00", 8);
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  file += header;
  return file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

// The values of a column; nothing where one is a text.
std::optional<std::vector<double>> ValuesOf(const std::vector<MetricRow>& rows, size_t column) {
  std::vector<double> values;
  for (const MetricRow& row : rows) {
    const JsonValue* cell = row.cells[column];
    const std::optional<double> number = cell == nullptr ? std::numeric_limits<double>::quiet_NaN() : NumberOf(*cell);
    if (!number) return {};
    values.push_back(*number);
  }
  return values;
}

Status ExportNpz(const ExportRequest& request) {
  const OutputFile file{"--out", request.out, request.force, {request.run}};
  DF_TRY(file.Check());
  const std::vector<MetricRow> rows = RowsOf(request.metrics);
  std::vector<double> steps;
  std::vector<double> wall_s;
  for (const MetricRow& row : rows) {
    steps.push_back(static_cast<double>(row.step));
    wall_s.push_back(row.wall_s);
  }
  ZipWriter zip;
  DF_TRY(zip.Add("step.npy", NpyOf(steps)));
  DF_TRY(zip.Add("wall_s.npy", NpyOf(wall_s)));
  for (size_t i = 0; i < request.metrics.columns.size(); ++i) {
    const std::optional<std::vector<double>> values = ValuesOf(rows, i);
    if (values) DF_TRY(zip.Add(request.metrics.columns[i] + ".npy", NpyOf(*values)));
  }
  DF_ASSIGN(const std::string archive, zip.Finish());
  return file.WriteText(archive);
}

EXPORTER("npz", "an array of float64 a metric", &ExportNpz);

}  // namespace
}  // namespace dfrun::jobs
