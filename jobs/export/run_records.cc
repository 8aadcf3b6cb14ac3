#include "jobs/export/run_records.h"

#include <ctime>

#include "src/base/file.h"
#include "src/base/json/json_reader.h"

namespace dfrun::jobs {
namespace {

constexpr size_t kMaxRecordBytes = size_t{64} << 20;

// Seconds since 1970 of "2026-01-31T23:59:59Z".
Result<double> TimeOf(const std::string& text) {
  std::tm parts = {};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return Error(Code::kDataLoss, "'", text, "' is no time");
  return static_cast<double>(::timegm(&parts));
}

Result<RunStart> StartOf(const JsonValue& record) {
  RunStart start;
  DF_ASSIGN(start.spec, record.GetText("spec"));
  DF_ASSIGN(start.from_step, record.GetInt("from_step"));
  DF_ASSIGN(const std::string begin, record.GetText("begin"));
  DF_ASSIGN(start.begin_s, TimeOf(begin));
  if (const JsonValue* end = record.Find("end"); end != nullptr && end->kind() == JsonValue::Kind::kText) {
    DF_ASSIGN(start.end_s, TimeOf(*end->AsText()));
    DF_ASSIGN(start.exit, record.GetInt("exit"));
  }
  if (const JsonValue* hparams = record.Find("hparams"); hparams != nullptr) start.hparams = *hparams;
  if (const JsonValue* names = record.Find("evaluations"); names != nullptr) {
    for (const JsonValue& name : names->values()) {
      DF_ASSIGN(start.evaluations.emplace_back(), name.AsText());
    }
  }
  return start;
}

Result<RunStart> ReadRecord(const std::string& path) {
  DF_ASSIGN(const std::string text, ReadFile(path, kMaxRecordBytes));
  const Result<JsonValue> record = ParseJson(text);
  if (!record.ok()) return record.status().Annotate(path);
  Result<RunStart> start = StartOf(*record);
  return start.ok() ? std::move(start) : start.status().Annotate(path);
}

}  // namespace

Result<std::vector<RunStart>> ReadRunRecords(const std::string& run) {
  std::vector<RunStart> starts;
  for (int number = 1;; ++number) {
    Result<RunStart> start = ReadRecord(StrCat(run, "/run-", number, ".json"));
    if (start.status().code() == Code::kNotFound) break;
    DF_TRY(start.status());
    starts.push_back(*std::move(start));
  }
  Result<RunStart> last = ReadRecord(run + "/run.json");
  if (last.status().code() == Code::kNotFound) return NoInput("'", run, "' has no run.json");
  DF_TRY(last.status());
  starts.push_back(*std::move(last));
  return starts;
}

const RunStart& StartOfStep(const std::vector<RunStart>& starts, int64_t step) {
  const RunStart* found = &starts.front();
  for (const RunStart& start : starts) {
    if (start.from_step < step) found = &start;
  }
  return *found;
}

}  // namespace dfrun::jobs
