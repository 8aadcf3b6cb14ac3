// Allocators of tensor memory, and the kinds of memory by the processors that can reach it.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_ALLOCATOR_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dfrun {

enum class MemoryKind : uint8_t {
  kHost,    // any thread of this process reads and writes it
  kPinned,  // host memory that a device, too, copies from and to on its own
  kDevice,  // only a device's kernels and copies reach it: an address of it is a number to the host
};

constexpr bool IsHostMemory(MemoryKind kind) {
  return kind != MemoryKind::kDevice;
}

struct AllocatorStats {
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t allocations = 0;
  int64_t bytes_reserved = 0;  // taken from the system
};

// Thread safety: all methods from any thread. Outlives every buffer that it gave out.
class Allocator {
 public:
  static constexpr size_t kAlignment = 64;

  explicit Allocator(MemoryKind kind = MemoryKind::kHost) : kind_(kind) {}
  virtual ~Allocator() = default;
  MemoryKind kind() const { return kind_; }
  virtual std::string_view name() const = 0;
  // Allocates at least `bytes` bytes aligned to kAlignment; null if there is no memory. Contents are undefined.
  virtual void* Allocate(size_t bytes) = 0;
  // Frees memory; `bytes` is the size that Allocate was asked for. A device's memory may be given out again at once,
  // since later enqueued work runs after the work enqueued now.
  virtual void Free(void* memory, size_t bytes) = 0;
  virtual AllocatorStats Stats() const = 0;
  // Counts the next peak from the memory in use now.
  virtual void ResetPeak() = 0;

 private:
  const MemoryKind kind_;
};

// The system's allocator, for tensors that belong to no device: attrs, tests, tools. Lives as long as the process.
Allocator& SystemAllocator();

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_ALLOCATOR_H_
