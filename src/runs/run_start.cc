#include "src/runs/run_start.h"

#include <ctime>

#include "src/base/file.h"
#include "src/base/json/json_reader.h"

namespace dfrun {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;  // the bound of RunRecord::SetsOf() too

std::string TextIn(const JsonValue& record, const char* name) {
  return record.GetText(name).ok() ? *record.GetText(name) : std::string();
}

std::optional<int64_t> NumberIn(const JsonValue& record, const char* name) {
  const Result<int64_t> number = record.GetInt(name);
  return number.ok() ? std::optional(*number) : std::nullopt;
}

std::vector<std::string> TextsIn(const JsonValue& record, const char* name) {
  std::vector<std::string> texts;
  const JsonValue* const list = record.Find(name);
  if (list == nullptr) return texts;
  for (const JsonValue& item : list->values()) {
    if (const Result<std::string> text = item.AsText(); text.ok()) texts.push_back(*text);
  }
  return texts;
}

}  // namespace

Result<RunStart> ReadRunStart(const std::string& path) {
  DF_ASSIGN(const std::string text, ReadFile(path, kMaxBytes));
  const Result<JsonValue> record = ParseJson(text);
  if (!record.ok()) return record.status().Annotate(path);
  if (!record->is_object() || !record->GetText("dfrun").ok())
    return Error(Code::kDataLoss, path, " is no record of a run");
  RunStart start;
  start.version = TextIn(*record, "dfrun");
  start.spec = TextIn(*record, "spec");
  start.directory = TextIn(*record, "directory");
  start.sets = TextsIn(*record, "set");
  start.hosts = TextsIn(*record, "hosts");
  start.ranks = NumberIn(*record, "ranks").value_or(0);
  start.from_step = NumberIn(*record, "from_step");
  start.steps = NumberIn(*record, "steps");
  start.begin = TextIn(*record, "begin");
  start.end = TextIn(*record, "end");
  start.exit = NumberIn(*record, "exit");
  start.error = TextIn(*record, "error");
  if (const JsonValue* const stopped = record->Find("stopped")) start.stopped = TextIn(*stopped, "reason");
  if (const JsonValue* const hparams = record->Find("hparams")) start.hparams = *hparams;
  start.evaluations = TextsIn(*record, "evaluations");
  const JsonValue* const names = record->Find("evaluations");
  if (names != nullptr && names->values().size() != start.evaluations.size())
    return Error(Code::kDataLoss, path, ": 'evaluations' has what is no name");
  return start;
}

std::vector<RunStart> ReadEarlierStarts(const std::string& run) {
  std::vector<RunStart> starts;
  while (true) {
    Result<RunStart> start = ReadRunStart(StrCat(run, "/run-", starts.size() + 1, ".json"));
    if (!start.ok()) return starts;
    starts.push_back(*std::move(start));
  }
}

std::optional<int64_t> SecondsOf(const std::string& time) {
  std::tm parts = {};
  const char* const end = ::strptime(time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return {};
  return ::timegm(&parts);
}

}  // namespace dfrun
