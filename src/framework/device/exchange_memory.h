// The memory of values that ranks exchange.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_EXCHANGE_MEMORY_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_EXCHANGE_MEMORY_H_

#include "src/framework/device/device.h"

namespace dfrun {

// Whether a device of host memory has some apart for values that ranks exchange: its host allocator, which the network
// moves best. A device with memory of its own has copies of such values in host memory, of that allocator.
inline bool HasExchangeMemory(Device& device) {
  return !device.has_own_memory() && &device.host_allocator() != &device.allocator();
}

// The allocator of plain values that kernels compute with and that may be sent without a copy.
inline Allocator& ExchangeAllocator(Device& device) {
  return HasExchangeMemory(device) ? device.host_allocator() : device.allocator();
}

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_EXCHANGE_MEMORY_H_
