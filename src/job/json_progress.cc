#include "src/job/json_progress.h"

#include <string_view>

#include "src/base/json/json.h"
#include "src/base/json/log_line.h"
#include "src/base/terminal.h"
#include "src/job/metrics_log.h"
#include "src/job/progress.h"

namespace dfrun {
namespace {

constexpr std::string_view kWarning = "warning: ";

void WriteJsonLine(std::FILE* out, LogLevel level, const std::string& members) {
  if (!IsTaken(out)) return;
  const std::string line = LogObject(level, members);
  std::fwrite(line.data(), 1, line.size(), out);
  std::fflush(out);
}

}  // namespace

// A job whose output nobody can read has not failed for that.
JsonProgress::~JsonProgress() {
  std::clearerr(out_);
}

void JsonProgress::OnMessage(const std::string& text) {
  const bool warns = text.starts_with(kWarning);
  const std::string_view message = std::string_view(text).substr(warns ? kWarning.size() : 0);
  WriteJsonLine(out_, warns ? LogLevel::kWarning : LogLevel::kInfo, StrCat("\"message\": ", JsonString(message)));
}

Status JsonProgress::OnStep(const JobResults& results) {
  const Clock::time_point now = now_();
  if (now - printed_ < Progress::kLogInterval && results.step != results.steps) return Status();
  printed_ = now;
  return Metrics(results);
}

Status JsonProgress::OnEvaluation(const JobResults& results) {
  return Metrics(results);
}

Status JsonProgress::Metrics(const JobResults& results) {
  DF_ASSIGN(const std::string members, MembersOfLine(results));
  WriteJsonLine(out_, LogLevel::kInfo,
                StrCat("\"step\": ", results.step, ", \"steps\": ", results.steps, ", \"metrics\": {", members, "}"));
  return Status();
}

}  // namespace dfrun
