#include "kernels/comm/wire_statistics.h"

namespace dfrun {
namespace {

// Graphs name containers by their own words; this is no word of theirs that a reset would forget by chance.
constexpr const char* kContainer = "dfrun wire statistics";

void AddTo(std::atomic<double>& counter, double value) {
  counter.fetch_add(value, std::memory_order_relaxed);
}

double TakeFrom(std::atomic<double>& counter) {
  return counter.exchange(0, std::memory_order_relaxed);
}

}  // namespace

Result<RefPtr<WireCounters>> WireCounters::Of(Device& device) {
  return device.containers().LookupOrCreate<WireCounters>(kContainer, "",
                                                          []() -> Result<WireCounters*> { return new WireCounters; });
}

void WireCounters::Add(const WireStatistics& part) {
  AddTo(bytes_, part.bytes);
  AddTo(wire_bytes_, part.wire_bytes);
  AddTo(dropped_, part.dropped);
  AddTo(total_, part.total);
}

WireStatistics WireCounters::Take() {
  return {TakeFrom(bytes_), TakeFrom(wire_bytes_), TakeFrom(dropped_), TakeFrom(total_)};
}

}  // namespace dfrun
