// A MessageTag tells the messages of one sender and receiver apart.
#ifndef DFRUN_COMM_MESSAGE_TAG_H_
#define DFRUN_COMM_MESSAGE_TAG_H_

#include <compare>
#include <cstdint>
#include <ostream>

namespace dfrun::comm {

// Invariants: channel < Transport::max_channels() and slot < Transport::max_slots() of the transport that carries the
// message. The transport packs the two as its network likes (tag_layout.h).
struct MessageTag {
  // Implicit, because a channel alone names a message where no steps are in flight, as among control messages.
  constexpr MessageTag(int32_t of_channel = 0, int32_t of_slot = 0)  // NOLINT(google-explicit-constructor)
      : channel(of_channel), slot(of_slot) {}
  auto operator<=>(const MessageTag&) const =
      default;  // NOLINT(modernize-use-nullptr): what the compiler writes for it

  int32_t channel;
  int32_t slot;  // slot of a step in flight
};

// Prints "5 of slot 2".
inline std::ostream& operator<<(std::ostream& out, const MessageTag& tag) {
  return out << tag.channel << " of slot " << tag.slot;
}

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MESSAGE_TAG_H_
