// Takes numbers and texts from the front of bytes that may be damaged.
#ifndef DFRUN_SRC_BASE_BYTE_READER_H_
#define DFRUN_SRC_BASE_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dfrun {

// Each method takes what it says and returns true, or returns false and takes nothing where too few bytes are left.
// Thread safety: one thread at a time.
class ByteReader {
 public:
  // The bytes outlive the reader.
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::string_view rest() const { return bytes_; }

  bool TakeBytes(uint64_t count, std::string_view& out) {
    if (count > bytes_.size()) return false;
    out = bytes_.substr(0, static_cast<size_t>(count));
    bytes_.remove_prefix(static_cast<size_t>(count));
    return true;
  }
  // A little-endian number of 1 to 8 bytes.
  bool TakeNumber(uint64_t count, uint64_t& out) {
    std::string_view digits;
    if (!TakeBytes(count, digits)) return false;
    out = 0;
    for (size_t i = digits.size(); i > 0; --i) out = out << 8 | static_cast<unsigned char>(digits[i - 1]);
    return true;
  }
  // A number of seven bits a byte, the lowest first.
  bool TakeVarint(uint64_t& out) {
    uint64_t number = 0;
    for (size_t i = 0; i < bytes_.size() && i < kMaxVarint; ++i) {
      const auto byte = static_cast<unsigned char>(bytes_[i]);
      number |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if ((byte & 0x80) != 0) continue;
      bytes_.remove_prefix(i + 1);
      out = number;
      return true;
    }
    return false;
  }

 private:
  static constexpr size_t kMaxVarint = 10;
  std::string_view bytes_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_BYTE_READER_H_
