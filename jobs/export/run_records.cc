#include "jobs/export/run_records.h"

#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

Result<double> TimeOf(const std::string& text) {
  const std::optional<int64_t> seconds = SecondsOf(text);
  if (!seconds) return Error(Code::kDataLoss, "'", text, "' is no time");
  return static_cast<double>(*seconds);
}

Result<ExportedStart> StartOf(RunStart record) {
  ExportedStart start;
  if (record.spec.empty() || !record.from_step) return Error(Code::kDataLoss, "it lacks 'spec' or 'from_step'");
  start.from_step = *record.from_step;
  DF_ASSIGN(start.begin_s, TimeOf(record.begin));
  if (!record.end.empty()) {
    DF_ASSIGN(start.end_s, TimeOf(record.end));
    if (!record.exit) return Error(Code::kDataLoss, "it has an end without an exit code");
    start.exit = *record.exit;
  }
  start.record = std::move(record);
  return start;
}

Result<ExportedStart> ReadRecord(const std::string& path) {
  DF_ASSIGN(RunStart record, ReadRunStart(path));
  Result<ExportedStart> start = StartOf(std::move(record));
  return start.ok() ? std::move(start) : start.status().Annotate(path);
}

}  // namespace

Result<std::vector<ExportedStart>> ReadRunRecords(const std::string& run) {
  std::vector<ExportedStart> starts;
  for (int number = 1;; ++number) {
    Result<ExportedStart> start = ReadRecord(StrCat(run, "/run-", number, ".json"));
    if (start.status().code() == Code::kNotFound) break;
    DF_TRY(start.status());
    starts.push_back(*std::move(start));
  }
  Result<ExportedStart> last = ReadRecord(run + "/run.json");
  if (last.status().code() == Code::kNotFound) return NoInput("'", run, "' has no run.json");
  DF_TRY(last.status());
  starts.push_back(*std::move(last));
  return starts;
}

const ExportedStart& StartOfStep(const std::vector<ExportedStart>& starts, int64_t step) {
  const ExportedStart* found = &starts.front();
  for (const ExportedStart& start : starts) {
    if (start.from_step < step) found = &start;
  }
  return *found;
}

}  // namespace dfrun::jobs
