// The key of a Region, with which peers read it.
#ifndef DFRUN_COMM_UCX_PART_UCX_KEY_H_
#define DFRUN_COMM_UCX_PART_UCX_KEY_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace dfrun::comm {

// The head of a key, which UCX's packed key follows.
struct UcxKey {
  static constexpr uint64_t kMark = 0x79656b2d7863752d;  // marks the keys of this transport

  uint64_t mark = kMark;
  uint64_t number = 0;   // number of the Region, unique in its process
  uint64_t address = 0;  // address of its first byte in its process
  uint64_t bytes = 0;

  // Parses a key; returns nullopt if these bytes are no key.
  static std::optional<UcxKey> Of(std::string_view bytes) {
    UcxKey key;
    if (bytes.size() <= sizeof key) return {};
    std::memcpy(&key, bytes.data(), sizeof key);
    return key.mark == kMark ? std::optional<UcxKey>(key) : std::nullopt;
  }
  // Returns UCX's part of a key.
  static const char* Packed(std::string_view key) { return key.data() + sizeof(UcxKey); }
  std::string WithPacked(std::string_view packed) const {
    return std::string(reinterpret_cast<const char*>(this), sizeof *this).append(packed);
  }
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_KEY_H_
