#include "src/trace/trace_lanes.h"

#include <algorithm>

#include "src/base/status.h"

namespace dfrun {

TraceLanes LayOutLanes(std::span<const TraceRecord> records) {
  TraceLanes lanes;
  int threads = 0;
  for (const TraceRecord& r : records) {
    if (!r.is_async) threads = std::max(threads, r.thread + 1);
  }
  for (int i = 0; i < threads; ++i) lanes.names.push_back(StrCat("thread ", i));
  std::vector<int64_t> free_from_ns;  // one a lane of asynchronous nodes
  for (const TraceRecord& r : records) {
    if (!r.is_async) {
      lanes.of_record.push_back(r.thread);
      continue;
    }
    auto lane = std::find_if(free_from_ns.begin(), free_from_ns.end(), [&](int64_t ns) { return ns <= r.start_ns; });
    if (lane == free_from_ns.end()) {
      lanes.names.push_back(StrCat("waiting ", free_from_ns.size()));
      lane = free_from_ns.insert(lane, 0);
    }
    *lane = r.end_ns;
    lanes.of_record.push_back(threads + static_cast<int>(lane - free_from_ns.begin()));
  }
  return lanes;
}

}  // namespace dfrun
