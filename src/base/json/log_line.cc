#include "src/base/json/log_line.h"

#include <atomic>
#include <chrono>
#include <ctime>

#include "src/base/host/host_name.h"
#include "src/base/json/json.h"
#include "src/base/log_writer.h"
#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/base/terminal.h"

namespace dfrun {
namespace {

std::atomic<bool> g_is_json{false};
std::atomic<int> g_rank{-1};  // below 0: not known

const char* NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

// "2026-11-29T15:15:34.123Z".
std::string TimeNow() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto since = std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char day[40];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
  char text[64];
  std::snprintf(text, sizeof text, "%s.%03dZ", day, static_cast<int>(since % 1000));
  return text;
}

const std::string& HostText() {
  static const std::string host = JsonString(HostName());
  return host;
}

// Writes an object by one call, so that lines of several threads do not mix.
void WriteObject(std::FILE* out, LogLevel level, std::string_view message) {
  const std::string line = LogObject(level, StrCat("\"message\": ", JsonString(message)));
  std::fwrite(line.data(), 1, line.size(), out);
  std::fflush(out);
}

}  // namespace

void LogAsJson() {
  SetLogWriter([](LogLevel level, std::string_view message) { WriteObject(stderr, level, message); });
  g_is_json.store(true, std::memory_order_relaxed);
}

bool LogsAsJson() {
  return g_is_json.load(std::memory_order_relaxed);
}

void SetRankOfLog(int rank) {
  g_rank.store(rank, std::memory_order_relaxed);
}

std::string LogObject(LogLevel level, std::string_view members) {
  const int rank = g_rank.load(std::memory_order_relaxed);
  return StrCat("{\"time\": \"", TimeNow(), "\", \"level\": \"", NameOf(level), "\", ",
                rank < 0 ? "" : StrCat("\"rank\": ", rank, ", "), "\"host\": ", HostText(), ", ", members, "}\n");
}

void WriteLine(std::FILE* out, LogLevel level, std::string_view prefix, std::string_view text) {
  if (!IsTaken(out)) return;
  if (LogsAsJson()) return WriteObject(out, level, text);
  const std::string line = StrCat(prefix, PrintableText(text), "\n");
  std::fwrite(line.data(), 1, line.size(), out);
}

}  // namespace dfrun
