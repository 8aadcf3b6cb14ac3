#include "kernels/comm/wire_statistics.h"

#include <atomic>

namespace dfrun {
namespace {

struct Counters {
  std::atomic<double> bytes{0};
  std::atomic<double> wire_bytes{0};
  std::atomic<double> dropped{0};
  std::atomic<double> total{0};
};
Counters g_counters;

void Add(std::atomic<double>& counter, double value) {
  counter.fetch_add(value, std::memory_order_relaxed);
}

double Take(std::atomic<double>& counter) {
  return counter.exchange(0, std::memory_order_relaxed);
}

}  // namespace

void CountCompressed(const WireStatistics& part) {
  Add(g_counters.bytes, part.bytes);
  Add(g_counters.wire_bytes, part.wire_bytes);
  Add(g_counters.dropped, part.dropped);
  Add(g_counters.total, part.total);
}

WireStatistics TakeWireStatistics() {
  return {Take(g_counters.bytes), Take(g_counters.wire_bytes), Take(g_counters.dropped), Take(g_counters.total)};
}

}  // namespace dfrun
