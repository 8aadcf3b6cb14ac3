#include "tests/gpu/emulated_memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "src/base/mutex.h"
#include "src/base/status.h"
#include "tests/gpu/emulated_settings.h"
#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda::emulated {
namespace {

constexpr size_t kBytes = size_t{32} << 30;  // size of the address range; a page exists once it is written
constexpr size_t kPage = 4096;
constexpr size_t kAlignment = 16;  // alignment of pieces, whose ends are at fences
// Address of the memory. It is far from where a system puts anything, so that no number is taken for an address.
constexpr uintptr_t kBase = uintptr_t{0x6b3d} << 32;
// Offset at which memory begins. An int before a padding gap that holds the upper half of an old address is then no
// address of the memory.
constexpr size_t kFirst = size_t{1} << 30;
// Number of fences. Each splits a mapping, of which a process may have 65,530.
constexpr int kMaxFences = 20000;

size_t RoundUp(size_t bytes, size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

// The text that reports a fault. It allocates nothing, since a signal handler must not.
class Line {
 public:
  void Add(std::string_view text) {
    const size_t count = std::min(text.size(), text_.size() - size_);
    std::memcpy(text_.data() + size_, text.data(), count);
    size_ += count;
  }
  void AddAddress(uintptr_t address) {
    Add("0x");
    for (int shift = 44; shift >= 0; shift -= 4) Add({&"0123456789abcdef"[address >> shift & 15], 1});
  }
  void Write() const {
    if (write(STDERR_FILENO, text_.data(), size_) < 0) return;  // the program dies all the same
  }

 private:
  std::array<char, 256> text_;
  size_t size_ = 0;
};

class GpuMemory {
 public:
  static GpuMemory& Get() {
    static GpuMemory& memory = *new GpuMemory();
    return memory;
  }

  void* Take(size_t bytes) {
    const size_t fenced = FencedBytes(bytes);
    const size_t pages = RoundUp(fenced, kPage);
    const MutexLock lock(mu_);
    if (pages + kPage > kBytes - end_) return nullptr;
    const uintptr_t at = end_ + (pages - fenced);
    end_ += pages;
    if (fences_ < kMaxFences && Setting("DFRUN_EMULATED_FENCES", 1) != 0) {
      DF_CHECK(mprotect(reach_ + end_, kPage, PROT_NONE) == 0);
      ++fences_;
    }
    end_ += kPage;
    std::memset(reach_ + at, 0xff, fenced);
    return reinterpret_cast<void*>(kBase + at);
  }

  std::byte* ReachOf(uintptr_t address) const { return reach_ + (address - kBase); }

 private:
  GpuMemory();
  static void OnFault(int, siginfo_t* info, void*);

  std::byte* reach_;
  struct sigaction before_ = {};
  Mutex mu_;
  size_t end_ GUARDED_BY(mu_) = kFirst;
  int fences_ GUARDED_BY(mu_) = 0;
};

bool IsSealed(uintptr_t address) {
  return address - kBase < kBytes;
}

GpuMemory::GpuMemory() {
  const int file = memfd_create("dfrun-emulated-gpu", MFD_CLOEXEC);
  DF_CHECK(file >= 0 && ftruncate(file, static_cast<off_t>(kBytes)) == 0);
  constexpr int kFlags = MAP_SHARED | MAP_NORESERVE;
  auto* const base = reinterpret_cast<void*>(kBase);
  DF_CHECK(mmap(base, kBytes, PROT_NONE, kFlags | MAP_FIXED_NOREPLACE, file, 0) == base);
  void* const reach = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kFlags, file, 0);
  DF_CHECK(reach != MAP_FAILED);
  close(file);
  reach_ = static_cast<std::byte*>(reach);
  struct sigaction action = {};
  action.sa_sigaction = &OnFault;
  action.sa_flags = SA_SIGINFO;
  DF_CHECK(sigaction(SIGSEGV, &action, &before_) == 0);
}

// Reports the fault. On return the access is tried again, with the handler that was there before.
void GpuMemory::OnFault(int, siginfo_t* info, void*) {
  const GpuMemory& memory = Get();
  sigaction(SIGSEGV, &memory.before_, nullptr);
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const uintptr_t from_reach = address - reinterpret_cast<uintptr_t>(memory.reach_);
  Line line;
  line.Add("emulated GPU: ");
  if (IsSealed(address)) {
    line.Add(AtWork::IsNow() ? "work of the GPU found an address in memory, and none in its arguments: "
                             : "the host touched memory of the GPU at ");
    line.AddAddress(address);
  } else if (from_reach < kBytes) {
    line.Add("work touched what lies behind a piece of the GPU's memory, at ");
    line.AddAddress(kBase + from_reach);
  } else {
    return;
  }
  line.Add("\n");
  line.Write();
}

}  // namespace

void* TakeGpuMemory(size_t bytes) {
  return GpuMemory::Get().Take(bytes);
}

bool IsGpuMemory(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return IsSealed(at) && at >= kBase + kFirst;
}

size_t FencedBytes(size_t bytes) {
  return RoundUp(bytes, kAlignment);
}

void* ReachOf(const void* address) {
  if (!IsGpuMemory(address)) return const_cast<void*>(address);
  return GpuMemory::Get().ReachOf(reinterpret_cast<uintptr_t>(address));
}

void PutReach(void* value, size_t bytes) {
  auto* const at = static_cast<std::byte*>(value);
  for (size_t i = 0; i + sizeof(uintptr_t) <= bytes; i += sizeof(uintptr_t)) {
    void* word = nullptr;
    std::memcpy(&word, at + i, sizeof(word));
    if (!IsGpuMemory(word)) continue;
    word = ReachOf(word);
    std::memcpy(at + i, &word, sizeof(word));
  }
}

// The content of a piece shows here whether it was touched, so access need not be forbidden.
void AllowWork(void*, size_t) {}
void ForbidWork(void*, size_t) {}

}  // namespace dfrun::cuda::emulated
