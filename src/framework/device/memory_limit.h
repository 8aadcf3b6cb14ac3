// Bounds on the memory that a rank takes of a device: the host's memory, or a device's own.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_MEMORY_LIMIT_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_MEMORY_LIMIT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace dfrun {

// A limit in bytes, or as a share of the device's memory.
struct MemoryLimit {
  int64_t bytes = 0;  // 0: `share` says it
  double share = 1;   // in (0, 1]
  bool operator==(const MemoryLimit&) const = default;

  // The limit of a device with so much memory in all.
  int64_t BytesOf(int64_t total) const {
    return bytes > 0 ? bytes : static_cast<int64_t>(static_cast<double>(total) * share);
  }
};

// Limits by type of device.
using MemoryLimits = std::map<std::string, MemoryLimit, std::less<>>;

// The limit of a device of the type with so much memory in all; `otherwise` where they do not limit the type.
inline int64_t LimitOfType(const MemoryLimits& limits, std::string_view type, int64_t total, int64_t otherwise = 0) {
  const auto limit = limits.find(type);
  return limit == limits.end() ? otherwise : limit->second.BytesOf(total);
}

// An interface of allocators that give out only so much memory.
class LimitedMemory {
 public:
  virtual ~LimitedMemory() = default;
  // Returns the limit; 0: as much as the device has.
  // Thread safety: any thread.
  virtual int64_t limit_bytes() const = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_MEMORY_LIMIT_H_
