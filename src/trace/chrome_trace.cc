#include "src/trace/chrome_trace.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "src/base/file.h"
#include "src/base/json.h"
#include "src/trace/trace_lanes.h"

namespace dfrun {
namespace {

// Nanoseconds as microseconds with three decimals.
std::string Microseconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000), static_cast<long long>(ns % 1000));
  return text;
}

std::string NameOf(const char* kind, const std::string& name, int rank, int lane) {
  const std::string of_lane = lane < 0 ? "" : StrCat(",\"tid\":", lane);
  return StrCat("{\"name\":\"", kind, "_name\",\"ph\":\"M\",\"pid\":", rank, of_lane,
                ",\"args\":{\"name\":", JsonString(name), "}}");
}

std::string Slice(const TraceRecord& r, int rank, int lane) {
  std::string bytes = r.bytes < 0 ? "" : StrCat(",\"bytes\":", r.bytes);
  return StrCat("{\"name\":", JsonString(r.node), ",\"cat\":", JsonString(r.op), ",\"ph\":\"X\",\"pid\":", rank,
                ",\"tid\":", lane, ",\"ts\":", Microseconds(r.start_ns),
                ",\"dur\":", Microseconds(r.end_ns - r.start_ns), ",\"args\":{\"op\":", JsonString(r.op),
                ",\"device\":", JsonString(r.device), ",\"step\":", r.step_id, bytes, "}}");
}

// One end of the arrow from a Send to the Recv of the same tensor, whose names differ in their op alone; empty for
// other nodes. Viewers want both ends within a slice: the arrow begins with the Send and ends just before the end of
// the Recv.
std::string ArrowEnd(const TraceRecord& r, int rank, int lane) {
  const bool sends = r.op == "_Send" || r.op == "_HostSend";
  if (!sends && r.op != "_Recv" && r.op != "_HostRecv") return "";
  std::string edge = r.node;
  if (const size_t at = edge.rfind(r.op); at != std::string::npos) edge.erase(at, r.op.size());
  const int64_t time_ns = sends ? r.start_ns : std::max(r.start_ns, r.end_ns - 1);
  return StrCat(",\n{\"name\":\"tensor\",\"cat\":\"edge\",\"ph\":\"", sends ? "s" : "f\",\"bp\":\"e",
                "\",\"id\":", JsonString(StrCat(edge, " ", r.step_id, " ", r.iteration)), ",\"pid\":", rank,
                ",\"tid\":", lane, ",\"ts\":", Microseconds(time_ns), "}");
}

}  // namespace

std::string ChromeTraceJson(std::span<const TraceRecord> records, int rank) {
  const TraceLanes lanes = LayOutLanes(records);
  std::string json =
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + NameOf("process", StrCat("rank ", rank), rank, /*lane=*/-1);
  for (size_t lane = 0; lane < lanes.names.size(); ++lane) {
    json += ",\n" + NameOf("thread", lanes.names[lane], rank, static_cast<int>(lane));
  }
  for (size_t i = 0; i < records.size(); ++i) {
    json += ",\n" + Slice(records[i], rank, lanes.of_record[i]) + ArrowEnd(records[i], rank, lanes.of_record[i]);
  }
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
