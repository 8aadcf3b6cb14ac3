// The memory of the emulated GPU under AddressSanitizer: pieces of the heap. This file replaces emulated_memory.cc.
#include <sanitizer/asan_interface.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

#include "src/base/mutex.h"
#include "tests/gpu/emulated_memory.h"

namespace dfrun::cuda::emulated {
namespace {

struct Pieces {
  Mutex mu;
  std::map<uintptr_t, size_t> all GUARDED_BY(mu);  // sizes by address
};
Pieces& ThePieces() {
  static Pieces& pieces = *new Pieces();
  return pieces;
}

}  // namespace

void* TakeGpuMemory(size_t bytes) {
  constexpr size_t kAlignment = 256;
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, bytes) != 0) return nullptr;
  std::memset(memory, 0xff, bytes);
  Pieces& pieces = ThePieces();
  const MutexLock lock(pieces.mu);
  pieces.all[reinterpret_cast<uintptr_t>(memory)] = bytes;
  return memory;
}

bool IsGpuMemory(const void* address) {
  Pieces& pieces = ThePieces();
  const MutexLock lock(pieces.mu);
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto after = pieces.all.upper_bound(at);
  return after != pieces.all.begin() && at - std::prev(after)->first < std::prev(after)->second;
}

size_t FencedBytes(size_t bytes) {
  return bytes;
}

void* ReachOf(const void* address) {
  return const_cast<void*>(address);
}

void PutReach(void*, size_t) {}

void AllowWork(void* memory, size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
}

void ForbidWork(void* memory, size_t bytes) {
  ASAN_POISON_MEMORY_REGION(memory, bytes);
}

}  // namespace dfrun::cuda::emulated
