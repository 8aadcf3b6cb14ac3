// The layout of a MessageTag in the bits of a network's tag.
#ifndef DFRUN_COMM_TAG_LAYOUT_H_
#define DFRUN_COMM_TAG_LAYOUT_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "comm/message_tag.h"

namespace dfrun::comm {

// The slot is in the low bits: one of the 15 bits that MPI promises, 3 of the 23 of Open MPI's ucx PML, 5 of the 31 of
// its own PML. The channel has the other bits, since a graph with too many channels cannot run at all, while a step
// that finds no free slot only waits.
class TagLayout {
 public:
  // The network's tags are 0 to max_tag, which is at least 32767.
  explicit constexpr TagLayout(uint32_t max_tag)
      : bits_(std::bit_width(uint64_t{max_tag} + 1) - 1), slot_bits_(1 + std::max(0, bits_ - 15) / 4) {}

  constexpr int32_t max_channels() const { return int32_t{1} << std::min(bits_ - slot_bits_, 30); }
  constexpr int32_t max_slots() const { return int32_t{1} << slot_bits_; }
  constexpr uint32_t Pack(MessageTag tag) const {
    return static_cast<uint32_t>(tag.channel) << slot_bits_ | static_cast<uint32_t>(tag.slot);
  }

 private:
  int bits_;
  int slot_bits_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_TAG_LAYOUT_H_
