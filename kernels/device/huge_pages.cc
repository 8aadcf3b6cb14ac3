#include "kernels/device/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

#include "src/base/integers.h"

namespace dfrun {

void* MapHugePages(size_t bytes) {
  const size_t wanted = RoundUp(bytes, kHugePage);
  if (wanted < bytes || wanted + kHugePage < wanted) return nullptr;
  // mmap aligns to small pages only: one huge page more is mapped, and the ends are cut off.
  void* mapped = mmap(nullptr, wanted + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* begin = static_cast<char*>(mapped);
  const size_t head = (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) % kHugePage;
  if (head > 0) munmap(begin, head);
  if (head < kHugePage) munmap(begin + head + wanted, kHugePage - head);
  madvise(begin + head, wanted, MADV_HUGEPAGE);  // a wish: a refusal leaves small pages
  return begin + head;
}

void UnmapHugePages(void* memory, size_t bytes) {
  munmap(memory, RoundUp(bytes, kHugePage));
}

}  // namespace dfrun
