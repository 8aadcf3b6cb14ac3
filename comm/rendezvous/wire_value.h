// A tensor of a shape that the receiver does not know, as bytes: a header of kHeaderBytes, then the payload.
//
//   offset 0   uint8   dtype (its public number)
//          1   uint8   flags: 1 dead, 2 packed, 4 enclosed
//          2   uint8   rank
//          8   uint64  bytes of the payload
//         16   uint64  the iteration of a channel in a loop; else 0
//         24   int64 x 5  sizes, of the dimensions there are; an enclosed payload behind them
//
// The payload is the elements as they lie in memory; where they fit behind the sizes they are enclosed in the header,
// and nothing follows. Packed, it is built: sizes of all dimensions (int64) where the rank is above 5, then the
// elements, a string being its length (uint64) and its bytes. All in this machine's byte order: ranks are of one build.
#ifndef DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_
#define DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/framework/tensor.h"

namespace dfrun::comm {

inline constexpr size_t kHeaderBytes = 64;
inline constexpr int kHeaderDims = 5;

struct WireHeader {
  uint8_t dtype = 0;
  uint8_t flags = 0;
  uint8_t rank = 0;
  uint8_t unused[5] = {};
  uint64_t payload_bytes = 0;
  uint64_t iteration = 0;
  std::array<int64_t, kHeaderDims> dims = {};

  static constexpr uint8_t kDead = 1;
  static constexpr uint8_t kPacked = 2;
  static constexpr uint8_t kEnclosed = 4;
  bool is_dead() const { return (flags & kDead) != 0; }
  bool is_packed() const { return (flags & kPacked) != 0; }
  bool is_enclosed() const { return (flags & kEnclosed) != 0; }
  // Of the message that follows; 0: none does.
  uint64_t bytes_behind() const { return is_enclosed() ? 0 : payload_bytes; }
};
static_assert(sizeof(WireHeader) == kHeaderBytes);

// The header of a value; `packed` receives the payload where it has to be built, else it is the value's own bytes.
// Unimplemented for a resource: it lives on its device.
Status EncodeValue(const Tensor& value, bool is_dead, WireHeader* header, std::string* packed);

// A tensor for what the header announces, elements of a payload that follows and is not packed undefined. DataLoss for
// a header that says nonsense. `packed` is the payload if it is packed.
Result<Tensor> DecodeValue(const WireHeader& header, std::string_view packed, Allocator& allocator);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_
