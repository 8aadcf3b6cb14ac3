// The formats of `dfrun export`. Each is a file in jobs/export that registers itself:
//
//   EXPORTER("csv", "a row a step", &ExportCsv);
#ifndef DFRUN_JOBS_EXPORT_EXPORTER_H_
#define DFRUN_JOBS_EXPORT_EXPORTER_H_

#include <string>
#include <utility>

#include "jobs/export/metrics_table.h"
#include "src/base/registry.h"

namespace dfrun::jobs {

struct ExportRequest {
  std::string run;  // the run directory
  std::string out;  // the file or directory to write
  bool force = false;
  MetricsTable metrics;
};

struct Exporter {
  std::string description;  // for --help
  // Writes the output. kUsage where it is there and may not be replaced.
  Status (*write)(const ExportRequest& request) = nullptr;
};

// Thread safety: registration ends before main(); then any thread.
Registry<Exporter>& Exporters();

namespace internal {
struct ExporterRegistration {
  ExporterRegistration(std::string name, Exporter exporter) { Exporters().Add(std::move(name), std::move(exporter)); }
};
}  // namespace internal

#define EXPORTER(name, ...)                                                                                         \
  [[maybe_unused]] static const ::dfrun::jobs::internal::ExporterRegistration DF_CONCAT(df_exporter_, __COUNTER__)( \
      name, ::dfrun::jobs::Exporter{__VA_ARGS__})

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EXPORT_EXPORTER_H_
