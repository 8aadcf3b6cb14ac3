// What this transport sends beside the messages of its callers.
#ifndef DFRUN_COMM_UCX_PART_UCX_MESSAGE_H_
#define DFRUN_COMM_UCX_PART_UCX_MESSAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace dfrun::comm {

// Instead of a large message its tag carries an offer: where the receiver may read it. A Region's key follows. The
// receiver says that it has read by a note with the offer's number.
struct UcxOffer {
  // Of this run: chance makes no message that begins so.
  using Mark = std::array<uint64_t, 2>;

  Mark mark = {};
  uint64_t number = 0;  // of the Send
  uint64_t offset = 0;  // in the Region
  uint64_t bytes = 0;   // of the message

  // A message that may be an offer is at least and at most so large.
  static constexpr size_t kMostBytes = 512;

  static bool Is(const void* message, size_t bytes, const Mark& mark) {
    return bytes > sizeof(UcxOffer) && bytes <= kMostBytes && std::memcmp(message, mark.data(), sizeof mark) == 0;
  }
  static UcxOffer Of(const void* message) {
    UcxOffer offer;
    std::memcpy(&offer, message, sizeof offer);
    return offer;
  }
  static std::string_view KeyIn(const void* message, size_t bytes) {
    return {static_cast<const char*>(message) + sizeof(UcxOffer), bytes - sizeof(UcxOffer)};
  }
};

// An active message from rank to rank.
struct UcxNote {
  enum Kind : uint32_t {
    kHello,    // `rank` has an endpoint to the receiver
    kGoodbye,  // `rank` ends its transport, and leaves `number` calls with UCX
    kTaken     // `rank` needs the memory of offer `number` no more
  };
  static constexpr unsigned kId = 1;  // among active messages

  Kind kind = kHello;
  int32_t rank = 0;  // the sender
  uint64_t number = 0;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_MESSAGE_H_
