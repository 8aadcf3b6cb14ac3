#include "src/base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <optional>

namespace dfrun {
namespace {

// A mapping, for the handler. A slot whose `begin` is 0 is free; one whose `end` is 0 holds no address.
struct Slot {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> has_lost{false};
};

constexpr size_t kSlots = 8192;  // a part of the 65530 mappings that Linux gives a process
// Signal handlers belong to the process, and so do the mappings that this one searches; it may neither lock nor
// allocate.
std::array<Slot, kSlots> slots;
struct sigaction previous;

size_t PageBytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// A handler must keep errno for the code that it interrupted; mmap() does not change it unless it fails.
bool PutZeros(uintptr_t address) {
  for (Slot& slot : slots) {
    if (address < slot.begin.load() || address >= slot.end.load()) continue;
    void* const page = reinterpret_cast<void*>(address - address % PageBytes());  // NOLINT(performance-no-int-to-ptr)
    slot.has_lost = true;
    return mmap(page, PageBytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
  }
  return false;
}

void OnBusError(int signal, siginfo_t* info, void* context) {
  const bool is_of_memory = info->si_code > 0;  // not sent by a process
  if (is_of_memory && PutZeros(reinterpret_cast<uintptr_t>(info->si_addr))) return;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    sigaction(signal, &previous, nullptr);
    raise(signal);
  }
}

bool InstallHandler() {
  PageBytes();  // known before the handler asks
  struct sigaction action = {};
  action.sa_sigaction = &OnBusError;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGBUS, &action, &previous) == 0;
}

std::optional<size_t> TakeSlot() {
  for (size_t i = 0; i < kSlots; ++i) {
    uintptr_t free = 0;
    if (slots[i].begin.compare_exchange_strong(free, UINTPTR_MAX)) return i;
  }
  return {};
}

void FreeSlot(size_t i) {
  slots[i].end = 0;
  slots[i].begin = 0;
}

}  // namespace

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(slot_, other.slot_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  FreeSlot(slot_);
  munmap(const_cast<char*>(data_), size_);
}

MappedFile MappedFile::Map(const FileDescriptor& file, uint64_t size) {
  static const bool is_handled = InstallHandler();
  MappedFile mapped;
  const std::optional<size_t> slot = is_handled ? TakeSlot() : std::nullopt;
  if (!slot) return mapped;
  struct stat info;
  const bool is_known = ::fstat(file.fd(), &info) == 0;
  void* const data = is_known ? mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd(), 0) : MAP_FAILED;
  if (data == MAP_FAILED) {
    FreeSlot(*slot);
    return mapped;
  }
  mapped.data_ = static_cast<const char*>(data);
  mapped.size_ = size;
  mapped.slot_ = *slot;
  mapped.device_ = info.st_dev;
  mapped.inode_ = info.st_ino;
  slots[*slot].has_lost = false;
  slots[*slot].begin = reinterpret_cast<uintptr_t>(data);
  slots[*slot].end = reinterpret_cast<uintptr_t>(data) + size;
  return mapped;
}

void MappedFile::ReadAhead(size_t begin, size_t bytes) const {
  if (bytes == 0) return;
  const size_t from = begin - begin % PageBytes();
  madvise(const_cast<char*>(data_) + from, begin + bytes - from, MADV_WILLNEED);  // a wish
}

void MappedFile::Touch(size_t begin, size_t bytes) const {
  ReadAhead(begin, bytes);
  for (size_t at = begin; at < begin + bytes; at += PageBytes()) {
    static_cast<void>(*static_cast<const volatile char*>(data_ + at));
  }
}

Status MappedFile::Check(const FileDescriptor& file) const {
  if (data_ == nullptr) return Status();
  DF_ASSIGN(const uint64_t size, file.Size());
  return CheckSize(file.path(), size);
}

Status MappedFile::Check(const std::string& path) const {
  if (data_ == nullptr) return Status();
  struct stat info;
  const bool is_file = ::stat(path.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
  return CheckSize(path, is_file ? static_cast<uint64_t>(info.st_size) : size_);
}

Status MappedFile::CheckSize(const std::string& path, uint64_t size) const {
  if (size < size_) {
    return Error(Code::kDataLoss, path, " has become shorter while it was read: it has ", size, " bytes and had ",
                 size_);
  }
  if (!slots[slot_].has_lost.load()) return Status();
  return Error(Code::kDataLoss, "cannot read ", path, ": the system could not bring a part of it into memory");
}

}  // namespace dfrun
