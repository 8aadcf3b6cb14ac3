// The messages of the rendezvous protocol over UCX, which this transport sends beside those of its callers.
#ifndef DFRUN_COMM_UCX_PART_UCX_MESSAGE_H_
#define DFRUN_COMM_UCX_PART_UCX_MESSAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace dfrun::comm {

// A request to send (RTS). It replaces a large message under the message's tag and names the memory that the receiver
// reads. A Region's key follows it. The receiver ends the exchange with a kAts (ATS) that carries the RTS's number.
struct UcxRts {
  // A mark of this run, random so that no message begins with it by chance.
  using Mark = std::array<uint64_t, 2>;

  Mark mark = {};
  uint64_t number = 0;  // number of the Send
  uint64_t offset = 0;  // offset in the Region
  uint64_t bytes = 0;   // size of the message

  // Limit of the size of an RTS with its key.
  static constexpr size_t kMaxRtsBytes = 512;

  static bool Is(const void* message, size_t bytes, const Mark& mark) {
    return bytes > sizeof(UcxRts) && bytes <= kMaxRtsBytes && std::memcmp(message, mark.data(), sizeof mark) == 0;
  }
  static UcxRts Of(const void* message) {
    UcxRts rts;
    std::memcpy(&rts, message, sizeof rts);
    return rts;
  }
  static std::string_view KeyIn(const void* message, size_t bytes) {
    return {static_cast<const char*>(message) + sizeof(UcxRts), bytes - sizeof(UcxRts)};
  }
};

// A control message between ranks, which travels as an active message.
struct UcxControl {
  enum Kind : uint32_t {
    kHello,    // `rank` has made an endpoint to the receiver
    kGoodbye,  // `rank` ends its transport and leaves `number` calls in UCX
    kAts       // ATS: `rank` has read the memory that RTS `number` names
  };
  static constexpr unsigned kId = 1;  // id of the active message

  Kind kind = kHello;
  int32_t rank = 0;  // rank of the sender
  uint64_t number = 0;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_MESSAGE_H_
