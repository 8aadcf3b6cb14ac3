#include "src/checkpoint/tensorflow/snappy.h"

#include "src/base/byte_reader.h"

namespace dfrun {
namespace {

// An element of the format begins with a byte whose lower two bits say what it is.
enum Element : unsigned { kLiteral = 0, kCopyOfOneByte = 1, kCopyOfTwoBytes = 2, kCopyOfFourBytes = 3 };

bool TakeLiteral(unsigned tag, ByteReader& from, std::string& to) {
  constexpr unsigned kMaxInTag = 59;
  uint64_t bytes = tag >> 2;
  if (bytes > kMaxInTag && !from.TakeNumber(bytes - kMaxInTag, bytes)) return false;
  std::string_view literal;
  if (!from.TakeBytes(bytes + 1, literal)) return false;
  to += literal;
  return true;
}

bool TakeCopy(unsigned tag, ByteReader& from, std::string& to) {
  uint64_t offset = 0;
  uint64_t bytes = (tag >> 2) + 1;
  if ((tag & 3) == kCopyOfOneByte) {
    if (!from.TakeNumber(1, offset)) return false;
    offset |= uint64_t{tag >> 5} << 8;
    bytes = ((tag >> 2) & 7) + 4;
  } else if (!from.TakeNumber((tag & 3) == kCopyOfTwoBytes ? 2 : 4, offset)) {
    return false;
  }
  if (offset == 0 || offset > to.size()) return false;
  // A copy may read what it writes.
  for (size_t at = to.size() - offset; bytes > 0; --bytes) to += to[at++];
  return true;
}

}  // namespace

Result<std::string> UnpackSnappy(std::string_view packed, size_t limit) {
  const Status damage = Error(Code::kDataLoss, "a block does not unpack");
  ByteReader from(packed);
  uint64_t size = 0;
  if (!from.TakeVarint(size) || size > limit) return damage;
  std::string plain;
  plain.reserve(size);
  while (!from.empty()) {
    uint64_t tag = 0;
    from.TakeNumber(1, tag);
    const auto element = static_cast<unsigned>(tag);
    if (!((element & 3) == kLiteral ? TakeLiteral(element, from, plain) : TakeCopy(element, from, plain)))
      return damage;
    if (plain.size() > size) return damage;
  }
  if (plain.size() != size) return damage;
  return plain;
}

}  // namespace dfrun
