#include "src/job/run_record.h"

#include <cstdio>
#include <ctime>
#include <filesystem>

#include "src/base/file.h"
#include "src/base/json/json.h"
#include "src/base/log.h"
#include "src/base/stop_request.h"
#include "src/base/text.h"
#include "src/spec/yaml/source_text.h"

namespace dfrun {
namespace {

// "2026-01-31T23:59:59Z".
std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&now, &parts)));
}

std::string List(const std::vector<std::string>& texts) {
  return "[" + Join(texts, ", ", JsonString) + "]";
}

// A text that can no longer be read is null.
std::string PrintFile(const std::string& path) {
  const Result<std::string> text = ReadSpecFile(path);
  return StrCat("{\"path\": ", JsonString(path), ", \"text\": ", text.ok() ? JsonString(*text) : "null", "}");
}

std::string PrintFacts(const RunFacts& facts) {
  std::error_code error;
  return StrCat(" \"dfrun\": ", JsonString(facts.version), ",\n \"spec\": ", JsonString(facts.spec),
                ",\n \"set\": ", List(facts.sets),
                ",\n \"directory\": ", JsonString(std::filesystem::current_path(error).string()),
                ",\n \"ranks\": ", facts.ranks, ",\n \"hosts\": ", List(facts.hosts),
                ",\n \"from_step\": ", facts.from_step, ",\n \"steps\": ", facts.steps,
                ",\n \"init_from\": ", facts.init_from, ",\n \"hparams\": ", facts.hparams.Print(),
                ",\n \"evaluations\": ", List(facts.evaluations), ",\n \"files\": [\n  ",
                Join(facts.files, ",\n  ", PrintFile), "\n ],\n \"begin\": ", JsonString(Now()));
}

// Pairs of a staleness and the number of shares; nothing where there are none.
std::string PrintStaleness(const std::map<int64_t, int64_t>& shares) {
  if (shares.empty()) return "";
  const auto print = [](const auto& entry) { return StrCat("[", entry.first, ", ", entry.second, "]"); };
  const std::vector<std::pair<int64_t, int64_t>> rows(shares.begin(), shares.end());
  return StrCat(",\n \"async/staleness\": [", Join(rows, ", ", print), "]");
}

Status KeepEarlier(const std::string& path) {
  DF_TRY(CheckReplaceable(path));
  const size_t ending = path.size() - std::string_view(".json").size();
  DF_ASSIGN(const std::string earlier, FreeName(path.substr(0, ending) + "-", ".json"));
  if (std::rename(path.c_str(), earlier.c_str()) == 0 || errno == ENOENT) return Status();
  return ErrnoError("cannot rename", path);
}

}  // namespace

std::string RunRecord::Print(const std::string& end, const std::string& exit, const std::string& error) const {
  return StrCat("{\n", facts_, ",\n \"end\": ", end, ",\n \"exit\": ", exit, ",\n \"error\": ", error,
                ",\n \"stopped\": ", stopped_, PrintStaleness(staleness_), ",\n \"memory\": [",
                memory_.empty() ? "" : "\n  ", Join(memory_, ",\n  ", &ToJson), memory_.empty() ? "" : "\n ", "]\n}\n");
}

Result<RunRecord> RunRecord::Begin(const std::string& path, const RunFacts& facts) {
  RunRecord record(path, PrintFacts(facts));
  DF_TRY(KeepEarlier(path));
  DF_TRY(WriteFileAtomically(path, record.Print("null", "null", "null")));
  return record;
}

std::optional<std::vector<std::string>> RunRecord::SetsOf(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{64} << 20;
  constexpr std::string_view kBegin = "\n \"set\": [";
  const Result<std::string> text = ReadFile(path, kMaxBytes);
  const size_t begin = text.ok() ? text->find(kBegin) : std::string::npos;
  if (begin == std::string::npos) return {};
  std::vector<std::string> sets;
  std::string_view rest = std::string_view(*text).substr(begin + kBegin.size());
  while (!rest.starts_with(']')) {
    std::optional<std::string> set = TakeJsonString(rest);
    if (!set) return {};
    sets.push_back(*std::move(set));
    if (rest.starts_with(", ")) rest.remove_prefix(2);
  }
  return sets;
}

void RunRecord::AddStaleness(const std::map<int64_t, int64_t>& shares) {
  for (const auto& [staleness, count] : shares) staleness_[staleness] += count;
}

void RunRecord::SetStopped(int64_t step, const std::string& reason) {
  stopped_ = StrCat("{\"step\": ", step, ", \"reason\": ", JsonString(reason), "}");
}

void RunRecord::End(const Status& status) const {
  const std::string error = status.ok() ? "null" : JsonString(status.message());
  const Status written =
      WriteFileAtomically(path_, Print(JsonString(Now()), StrCat(ExitCodeAfterStop(status.code())), error));
  if (!written.ok()) DF_LOG(kWarning) << written.message() << ": it does not say how the run ended";
}

}  // namespace dfrun
