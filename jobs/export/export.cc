// `dfrun export RUN --to FORMAT`: writes what a run has measured for another program.
#include <memory>

#include "jobs/command.h"
#include "jobs/export/exporter.h"
#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

struct ExportOptions {
  std::string to;
  ExportRequest request;
};

std::vector<std::string> NamesOfFormats() {
  std::vector<std::string> names;
  for (const auto& [name, exporter] : Exporters().all()) names.push_back(name);
  return names;
}

Result<int> Export(ExportOptions options) {
  const Exporter* exporter = Exporters().Find(options.to);
  if (exporter == nullptr) {
    return Error(Code::kUsage, "--to ", options.to, ": the formats are ", Join(NamesOfFormats()));
  }
  const std::string path = options.request.run + "/metrics.jsonl";
  Result<MetricsTable> metrics = ReadMetrics(path);
  if (metrics.status().code() == Code::kNotFound) {
    return Error(Code::kNoInput, "'", options.request.run, "' is no run directory: it has no metrics.jsonl");
  }
  DF_TRY(metrics.status());
  options.request.metrics = *std::move(metrics);
  DF_TRY(exporter->write(options.request));
  return 0;
}

RunCommand SetupExport(Options& args) {
  auto options = std::make_shared<ExportOptions>();
  args.Value("run", options->request.run, "The run directory").Required();
  std::vector<std::string> formats;
  for (const auto& [name, exporter] : Exporters().all()) formats.push_back(StrCat(name, ": ", exporter.description));
  args.Value("--to", options->to, "The format; " + Join(formats, "; ")).Required();
  args.Value("--out", options->request.out, "The file to write, for tensorboard and wandb a directory").Required();
  args.Flag("--force", options->request.force, "Replace what is there");
  return [options] { return Export(*options); };
}

COMMAND("export", "Writes the metrics of a run for another program.", "dfrun export run --to csv --out run.csv",
        SetupExport);

}  // namespace

Registry<Exporter>& Exporters() {
  static Registry<Exporter>& exporters = *new Registry<Exporter>;
  return exporters;
}

}  // namespace dfrun::jobs
