// A tensor of a shape that the receiver does not know, as bytes: a header of kHeaderBytes, then the payload.
//
//   offset 0   uint8   dtype (its public number)
//          1   uint8   flags: 1 dead, 2 packed, 4 enclosed
//          2   uint8   rank
//          4   uint32 x 5  sizes, of the dimensions there are; an enclosed payload behind them. Packed: bytes of the
//                          payload (uint64)
//         24   uint64  the iteration of a channel in a loop; else 0
//
// The payload is the elements as they lie in memory; where they fit behind the sizes they are enclosed in the header,
// and nothing follows: so a scalar, a predicate or the word that a value is dead is one short message. Packed, it is
// built: sizes of all dimensions (int64), then the elements, a string being its length (uint64) and its bytes: so
// travel strings, and values whose sizes do not fit the header. All in this machine's byte order: ranks are of one
// build.
#ifndef DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_
#define DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/framework/tensor.h"

namespace dfrun::comm {

inline constexpr size_t kHeaderBytes = 32;
inline constexpr int kHeaderDims = 5;

struct WireHeader {
  uint8_t dtype = 0;
  uint8_t flags = 0;
  uint8_t rank = 0;
  uint8_t unused = 0;
  std::array<uint32_t, kHeaderDims> dims = {};
  uint64_t iteration = 0;

  static constexpr uint8_t kDead = 1;
  static constexpr uint8_t kPacked = 2;
  static constexpr uint8_t kEnclosed = 4;
  bool is_dead() const { return (flags & kDead) != 0; }
  bool is_packed() const { return (flags & kPacked) != 0; }
  bool is_enclosed() const { return (flags & kEnclosed) != 0; }
  // Nothing follows.
  bool is_alone() const { return is_dead() || is_enclosed(); }
  // Of a packed payload.
  uint64_t packed_bytes() const { return dims[0] | uint64_t{dims[1]} << 32; }
};
static_assert(sizeof(WireHeader) == kHeaderBytes);

// The header of a value; `packed` receives the payload where it has to be built, else it is the value's own bytes.
// Unimplemented for a resource: it lives on its device.
Status EncodeValue(const Tensor& value, bool is_dead, WireHeader* header, std::string* packed);

// Makes `value` a new tensor of `allocator` for what the header announces, elements of a payload that follows and is
// not packed undefined. DataLoss for a header that says nonsense. `packed` is the payload if it is packed.
Status DecodeValue(const WireHeader& header, std::string_view packed, Allocator& allocator, Tensor* value);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_
