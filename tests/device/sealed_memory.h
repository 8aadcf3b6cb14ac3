// Memory that the host cannot touch, to show that it does not. It is a memory file that is mapped twice. Tensors hold
// addresses of the first mapping, at which any access is a fault. Only the device's stream is given those of the second
// mapping, the alias.
#ifndef DFRUN_TESTS_DEVICE_SEALED_MEMORY_H_
#define DFRUN_TESTS_DEVICE_SEALED_MEMORY_H_

#include <array>
#include <cstddef>
#include <vector>

#include "src/base/mutex.h"

namespace dfrun::sealed {

// A heap of blocks, whose sizes are powers of two, in a part of the memory.
// Thread safety: all methods from any thread.
class Heap {
 public:
  Heap(std::byte* begin, std::byte* end) : at_(begin), end_(end) {}
  // Returns null if no memory is left.
  void* Take(size_t bytes);
  void Put(void* block, size_t bytes);

 private:
  static constexpr int kSizes = 48;

  Mutex mu_;
  std::byte* at_ GUARDED_BY(mu_);
  std::byte* const end_;
  std::array<std::vector<void*>, kSizes> free_ GUARDED_BY(mu_);  // by the logarithm of the size
};

// Ends the program if the system gives no mapping.
class SealedMemory {
 public:
  static constexpr size_t kBytes = size_t{32} << 30;  // size of the address range; a page exists once it is written

  SealedMemory();
  ~SealedMemory();
  SealedMemory(const SealedMemory&) = delete;
  SealedMemory& operator=(const SealedMemory&) = delete;

  bool IsSealed(const void* address) const { return Contains(sealed_, address); }
  bool IsAlias(const void* address) const { return Contains(alias_, address); }
  // Return the other address of the same byte.
  void* AliasOf(const void* sealed) const { return alias_ + (static_cast<const std::byte*>(sealed) - sealed_); }
  void* SealedOf(const void* alias) const { return sealed_ + (static_cast<const std::byte*>(alias) - alias_); }

  // The heap of memory that is allocated and freed in the order in which work is enqueued. Its addresses are sealed.
  Heap& enqueued() { return enqueued_; }
  // The heap of memory that the stream allocates while it works. Its addresses are at the alias.
  Heap& running() { return running_; }

 private:
  static bool Contains(const std::byte* base, const void* address) {
    return address >= base && address < base + kBytes;
  }

  const int file_;
  std::byte* const sealed_;
  std::byte* const alias_;
  Heap enqueued_;
  Heap running_;
};

}  // namespace dfrun::sealed

#endif  // DFRUN_TESTS_DEVICE_SEALED_MEMORY_H_
