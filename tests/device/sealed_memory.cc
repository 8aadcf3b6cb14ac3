#include "tests/device/sealed_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "src/base/status.h"

namespace dfrun::sealed {
namespace {

// Blocks of a tensor begin at multiples of this.
constexpr size_t kSmallest = 64;

int LogOfSize(size_t bytes) {
  return std::bit_width(std::max(bytes, kSmallest) - 1);
}

int MakeFile(size_t bytes) {
  const int file = memfd_create("dfrun-sealed", MFD_CLOEXEC);
  DF_CHECK(file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0);
  return file;
}

std::byte* Map(int file, size_t bytes, int access) {
  void* const at = mmap(nullptr, bytes, access, MAP_SHARED | MAP_NORESERVE, file, 0);
  DF_CHECK(at != MAP_FAILED);
  return static_cast<std::byte*>(at);
}

}  // namespace

void* Heap::Take(size_t bytes) {
  const int log = LogOfSize(bytes);
  if (log >= kSizes) return nullptr;
  MutexLock lock(mu_);
  std::vector<void*>& free = free_[static_cast<size_t>(log)];
  if (!free.empty()) {
    void* const block = free.back();
    free.pop_back();
    return block;
  }
  const size_t size = size_t{1} << log;
  if (size > static_cast<size_t>(end_ - at_)) return nullptr;
  return std::exchange(at_, at_ + size);
}

void Heap::Put(void* block, size_t bytes) {
  MutexLock lock(mu_);
  free_[static_cast<size_t>(LogOfSize(bytes))].push_back(block);
}

SealedMemory::SealedMemory()
    : file_(MakeFile(kBytes)),
      sealed_(Map(file_, kBytes, PROT_NONE)),
      alias_(Map(file_, kBytes, PROT_READ | PROT_WRITE)),
      enqueued_(sealed_, sealed_ + kBytes / 2),
      running_(alias_ + kBytes / 2, alias_ + kBytes) {}

SealedMemory::~SealedMemory() {
  munmap(sealed_, kBytes);
  munmap(alias_, kBytes);
  close(file_);
}

}  // namespace dfrun::sealed
