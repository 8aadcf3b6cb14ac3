// The time in which no thread of a pool has anything to run.
#ifndef DFRUN_SRC_EXECUTOR_STEP_IDLE_CLOCK_H_
#define DFRUN_SRC_EXECUTOR_STEP_IDLE_CLOCK_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace dfrun {

// Counts the threads that are at work, and the time while none is. It reads the clock where the last of them begins to
// wait and where the first goes on, and nowhere else.
// Thread safety: all methods from any thread; a thread begins and ends its own waits, one after the other.
class IdleClock {
 public:
  // All of the threads are at work.
  explicit IdleClock(int threads) : state_(static_cast<uint64_t>(threads)) {}

  // The calling thread, one of the pool's, has nothing to run from now on.
  void BeginIdle() {
    uint64_t state = state_.load(std::memory_order_relaxed);
    uint64_t next = 0;
    do {
      const bool is_last = (state & kThreads) == 1;
      next = is_last ? Ticks() << kThreadBits : state - 1;
    } while (!state_.compare_exchange_weak(state, next, std::memory_order_relaxed));
  }
  void EndIdle() {
    const uint64_t before = state_.fetch_add(1, std::memory_order_relaxed);
    if ((before & kThreads) == 0) idle_ticks_.fetch_add(Since(before), std::memory_order_relaxed);
  }

  // The time so far, in ns.
  int64_t idle_ns() const {
    const uint64_t state = state_.load(std::memory_order_relaxed);
    const uint64_t now = (state & kThreads) == 0 ? Since(state) : 0;
    return static_cast<int64_t>((idle_ticks_.load(std::memory_order_relaxed) + now) * kTickNs);
  }

 private:
  static constexpr int kThreadBits = 16;
  static constexpr uint64_t kThreads = (uint64_t{1} << kThreadBits) - 1;
  // So that 48 bits hold 52 days, which bounds one wait.
  static constexpr uint64_t kTickNs = 16;

  static uint64_t Ticks() {
    const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(now.count()) / kTickNs;
  }
  static uint64_t Since(uint64_t state) { return ((Ticks() << kThreadBits) - (state & ~kThreads)) >> kThreadBits; }

  // The number of threads at work; above it, where that is 0, the time since when.
  std::atomic<uint64_t> state_;
  std::atomic<uint64_t> idle_ticks_{0};
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_IDLE_CLOCK_H_
