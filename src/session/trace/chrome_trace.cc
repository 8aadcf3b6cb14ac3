#include "src/session/trace/chrome_trace.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "src/base/file.h"
#include "src/base/json/json.h"
#include "src/session/trace/message_steps.h"
#include "src/session/trace/trace_lanes.h"

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

std::string Slice(const std::string& name, const std::string& category, const TraceRecord& r, int rank, int lane,
                  const std::string& args) {
  return StrCat("{\"name\":", JsonString(name), ",\"cat\":", JsonString(category), ",\"ph\":\"X\",\"pid\":", rank,
                ",\"tid\":", lane, ",\"ts\":", Microseconds(r.start_ns),
                ",\"dur\":", Microseconds(r.end_ns - r.start_ns), ",\"args\":{", args, "}}");
}

std::string NodeSlice(const Trace& trace, const TraceRecord& r, int rank, int lane) {
  const TraceNames::Node& node = trace.node(r);
  const std::string bytes = r.bytes < 0 ? "" : StrCat(",\"bytes\":", r.bytes);
  return Slice(node.name, node.op, r, rank, lane,
               StrCat("\"op\":", JsonString(node.op), ",\"device\":", JsonString(trace.device(r)),
                      ",\"step\":", r.step_id, bytes));
}

std::string MessageSlice(const Trace& trace, const MessageSteps& steps, const TraceRecord& r, int rank, int lane) {
  const char* const what = r.kind == TraceRecord::Kind::kSend ? "send" : "receive";
  const TraceRecord* const node = steps.NodeOf(r);
  const std::string tensor = node == nullptr ? StrCat("channel ", r.channel) : TensorOf(trace.node(*node));
  const std::string step = node == nullptr ? "" : StrCat("\"step\":", node->step_id, ",");
  return Slice(
      StrCat(what, " ", tensor), what, r, rank, lane,
      StrCat(step, "\"peer\":", r.peer, ",\"channel\":", r.channel, ",\"slot\":", r.slot, ",\"bytes\":", r.bytes));
}

// One end of the arrow from a Send to the Recv of the same tensor, whose names differ in their op alone; empty for
// other nodes. Viewers want both ends within a slice: the arrow begins with the Send and ends just before the end of
// the Recv.
std::string ArrowEnd(const TraceNames::Node& node, const TraceRecord& r, int rank, int lane) {
  const bool sends = node.sends >= 0;
  if (!sends && node.receives < 0) return "";
  const int64_t time_ns = sends ? r.start_ns : std::max(r.start_ns, r.end_ns - 1);
  return StrCat(",\n{\"name\":\"tensor\",\"cat\":\"edge\",\"ph\":\"", sends ? "s" : "f\",\"bp\":\"e",
                "\",\"id\":", JsonString(StrCat(TensorOf(node), " ", r.step_id, " ", r.iteration)), ",\"pid\":", rank,
                ",\"tid\":", lane, ",\"ts\":", Microseconds(time_ns), "}");
}

}  // namespace

std::string ChromeTraceJson(const Trace& trace, int rank) {
  const TraceLanes lanes = LayOutLanes(trace.records);
  const MessageSteps steps(trace);
  std::string json =
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + NameOf("process", StrCat("rank ", rank), rank, /*lane=*/-1);
  for (size_t lane = 0; lane < lanes.names.size(); ++lane) {
    json += ",\n" + NameOf("thread", lanes.names[lane], rank, static_cast<int>(lane));
  }
  for (size_t i = 0; i < trace.records.size(); ++i) {
    const TraceRecord& r = trace.records[i];
    const int lane = lanes.of_record[i];
    json += ",\n";
    if (r.kind != TraceRecord::Kind::kNode) {
      json += MessageSlice(trace, steps, r, rank, lane);
    } else {
      json += NodeSlice(trace, r, rank, lane) + ArrowEnd(trace.node(r), r, rank, lane);
    }
  }
  return json + "\n]}\n";
}

std::string TracePath(const std::string& prefix, int rank) {
  return StrCat(prefix, "rank-", rank, ".json");
}

Status WriteChromeTrace(const std::string& path, const Trace& trace, int rank) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (error) return IoError("cannot make the directory ", directory.string(), ": ", error.message());
  return WriteFileAtomically(path, ChromeTraceJson(trace, rank));
}

}  // namespace dfrun
