#include "src/framework/device/device_memory.h"

#include "src/base/json/json.h"
#include "src/framework/device/device.h"
#include "src/framework/device/memory_limit.h"

namespace dfrun {

DeviceMemory MemoryOf(Device& device) {
  const AllocatorStats stats = device.allocator().Stats();
  const auto* const limited = dynamic_cast<const LimitedMemory*>(&device.allocator());
  return {device.full_name(), stats.bytes_in_use, stats.peak_bytes_in_use, stats.bytes_reserved,
          limited == nullptr ? 0 : limited->limit_bytes()};
}

std::string ToJson(const DeviceMemory& memory) {
  return StrCat("{\"device\": ", JsonString(memory.device), ", \"in_use_bytes\": ", memory.in_use_bytes,
                ", \"peak_bytes\": ", memory.peak_bytes, ", \"reserved_bytes\": ", memory.reserved_bytes,
                ", \"limit_bytes\": ", memory.limit_bytes, "}");
}

}  // namespace dfrun
