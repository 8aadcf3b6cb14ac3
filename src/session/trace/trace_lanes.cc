#include "src/session/trace/trace_lanes.h"

#include <algorithm>

#include "src/base/status.h"

namespace dfrun {
namespace {

// Lanes for records that overlap, as few as keep them apart.
class ApartLanes {
 public:
  // `record` begins no sooner than those before it.
  int Add(const TraceRecord& record) {
    const auto is_free = [&](int64_t ns) { return ns <= record.start_ns; };
    auto lane = std::find_if(free_from_ns_.begin(), free_from_ns_.end(), is_free);
    if (lane == free_from_ns_.end()) lane = free_from_ns_.insert(lane, 0);
    *lane = record.end_ns;
    return static_cast<int>(lane - free_from_ns_.begin());
  }
  int size() const { return static_cast<int>(free_from_ns_.size()); }

 private:
  std::vector<int64_t> free_from_ns_;  // by lane
};

enum class Row { kThread, kWaiting, kMessages };

Row RowOf(const TraceRecord& record) {
  if (record.kind != TraceRecord::Kind::kNode) return Row::kMessages;
  return record.is_async ? Row::kWaiting : Row::kThread;
}

void AddNames(const char* what, int count, std::vector<std::string>& names) {
  for (int i = 0; i < count; ++i) names.push_back(StrCat(what, " ", i));
}

}  // namespace

TraceLanes LayOutLanes(std::span<const TraceRecord> records) {
  TraceLanes lanes;
  int threads = 0;
  ApartLanes waiting;
  ApartLanes messages;
  for (const TraceRecord& r : records) {
    switch (RowOf(r)) {
      case Row::kThread:
        threads = std::max(threads, r.thread + 1);
        lanes.of_record.push_back(r.thread);
        break;
      case Row::kWaiting:
        lanes.of_record.push_back(waiting.Add(r));
        break;
      case Row::kMessages:
        lanes.of_record.push_back(messages.Add(r));
    }
  }
  for (size_t i = 0; i < records.size(); ++i) {
    const Row row = RowOf(records[i]);
    if (row != Row::kThread) lanes.of_record[i] += threads;
    if (row == Row::kMessages) lanes.of_record[i] += waiting.size();
  }
  AddNames("thread", threads, lanes.names);
  AddNames("waiting", waiting.size(), lanes.names);
  AddNames("comm", messages.size(), lanes.names);
  return lanes;
}

}  // namespace dfrun
