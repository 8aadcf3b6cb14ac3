// The slots of an executable that its steps in flight have.
#ifndef DFRUN_SRC_SESSION_STEP_SLOTS_H_
#define DFRUN_SRC_SESSION_STEP_SLOTS_H_

#include <bit>
#include <cstdint>

namespace dfrun {

// The free slots. Each slot that was ever used has a rendezvous on every rank, so the lowest free one is taken.
// Thread safety: none.
class StepSlots {
 public:
  static constexpr int32_t kMax = 64;

  explicit StepSlots(int32_t slots) : free_(slots >= kMax ? ~uint64_t{0} : (uint64_t{1} << slots) - 1) {}
  bool any_free() const { return free_ != 0; }
  // Takes a free slot.
  int32_t Take() {
    const int32_t slot = std::countr_zero(free_);
    free_ &= free_ - 1;
    return slot;
  }
  void Return(int32_t slot) { free_ |= uint64_t{1} << slot; }

 private:
  uint64_t free_;  // bit i: slot i
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_STEP_SLOTS_H_
