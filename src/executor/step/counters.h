// Counters of a step: plain integers while one thread has the step, the same integers as atomics once it is shared.
#ifndef DFRUN_SRC_EXECUTOR_STEP_COUNTERS_H_
#define DFRUN_SRC_EXECUTOR_STEP_COUNTERS_H_

#include <atomic>
#include <cstdint>

namespace dfrun {

// Returns the count after the change. The thread that brings a counter to zero sees all writes that other threads made
// before their own changes (acquire and release).
template <bool kShared>
int32_t AddTo(int32_t& counter, int32_t delta) {
  if constexpr (kShared) return std::atomic_ref<int32_t>(counter).fetch_add(delta, std::memory_order_acq_rel) + delta;
  return counter += delta;
}

template <bool kShared>
int32_t CountDown(int32_t& counter) {
  return AddTo<kShared>(counter, -1);
}

template <bool kShared>
int32_t LoadCount(int32_t& counter) {
  if constexpr (kShared) return std::atomic_ref<int32_t>(counter).load(std::memory_order_acquire);
  return counter;
}

// Relaxed store: readers look at the note only after they have seen a counter reach zero, which orders the two.
template <bool kShared>
void StoreNote(int32_t& note, int32_t value) {
  if constexpr (kShared) {
    std::atomic_ref<int32_t>(note).store(value, std::memory_order_relaxed);
  } else {
    note = value;
  }
}

// Stores the note where there is none (0); false where there is.
template <bool kShared>
bool StoreFirstNote(int32_t& note, int32_t value) {
  if constexpr (kShared) {
    int32_t none = 0;
    return std::atomic_ref<int32_t>(note).compare_exchange_strong(none, value, std::memory_order_acq_rel);
  }
  if (note != 0) return false;
  note = value;
  return true;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_COUNTERS_H_
