#include "src/trace/chrome_trace.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "src/base/file.h"
#include "src/base/json.h"

namespace dfrun {
namespace {

// Nanoseconds as microseconds with three decimals.
std::string Microseconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000), static_cast<long long>(ns % 1000));
  return text;
}

std::string Event(const TraceRecord& r, int rank) {
  std::string bytes = r.bytes < 0 ? "" : StrCat(",\"bytes\":", r.bytes);
  return StrCat("{\"name\":", JsonString(r.node), ",\"cat\":", JsonString(r.op), ",\"ph\":\"X\",\"pid\":", rank,
                ",\"tid\":", r.thread, ",\"ts\":", Microseconds(r.start_ns),
                ",\"dur\":", Microseconds(r.end_ns - r.start_ns), ",\"args\":{\"op\":", JsonString(r.op),
                ",\"device\":", JsonString(r.device), ",\"step\":", r.step_id, bytes, "}}");
}

}  // namespace

std::string ChromeTraceJson(std::span<const TraceRecord> records, int rank) {
  std::string json =
      StrCat("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":", rank,
             ",\"args\":{\"name\":\"rank ", rank, "\"}}");
  for (const TraceRecord& record : records) json += ",\n" + Event(record, rank);
  return json + "\n]}\n";
}

std::string TracePath(const std::string& prefix, int rank) {
  return StrCat(prefix, "rank-", rank, ".json");
}

Status WriteChromeTrace(const std::string& path, std::span<const TraceRecord> records, int rank) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (error) return IoError("cannot make the directory ", directory.string(), ": ", error.message());
  return WriteFileAtomically(path, ChromeTraceJson(records, rank));
}

}  // namespace dfrun
