// The wire format of a tensor whose shape the receiver does not know: a header of kHeaderBytes, then the payload.
//
//   offset 0   uint8   dtype (its public number)
//          1   uint8   flags: 1 dead, 2 packed, 4 enclosed
//          2   uint8   rank
//          4   uint32 x 5  sizes of the dimensions; an enclosed payload follows them. Packed: bytes of the payload
//          (uint64)
//         24   uint64  iteration of a channel in a loop; otherwise 0
//
// The payload is the elements as they are in memory. If they fit behind the sizes, they are enclosed in the header and
// nothing follows, so that a scalar, a predicate or a dead value is one short message. A packed payload has the sizes
// of all dimensions (int64), then the elements, where a string is its length (uint64) and its bytes. Strings are
// packed, and so are tensors whose sizes do not fit the header. Numbers have this machine's byte order, because all
// ranks run one build.
#ifndef DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_
#define DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/framework/values/tensor.h"

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
  // Returns true if no payload follows the header.
  bool is_alone() const { return is_dead() || is_enclosed(); }
  // Returns the size of a packed payload.
  uint64_t packed_bytes() const { return dims[0] | uint64_t{dims[1]} << 32; }
};
static_assert(sizeof(WireHeader) == kHeaderBytes);

// Makes the header of a tensor. Sets `packed` to the payload if it has to be packed; otherwise the payload is the
// tensor's own bytes. Unimplemented for a resource, which cannot leave its device.
Status EncodeValue(const Tensor& value, bool is_dead, WireHeader* header, std::string* packed);

// Sets `value` to a new tensor of `allocator` with the header's dtype and shape. Its elements are undefined if a
// payload follows that is not packed. `packed` is a packed payload. DataLoss for an invalid header.
Status DecodeValue(const WireHeader& header, std::string_view packed, Allocator& allocator, Tensor* value);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_WIRE_VALUE_H_
