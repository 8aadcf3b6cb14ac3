#include "kernels/io/hdf5/hdf5_plan.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace dfrun {
namespace {

// Unpacked and copied data are kept up to this size.
constexpr size_t kKeepBytes = size_t{256} << 20;
// Contiguous datasets are mapped while all together have no more: rows of a few hundred bytes cost a system call each
// otherwise.
constexpr uint64_t kMaxMappedBytes = uint64_t{1} << 30;
// Each takes one of the 8192 mappings that MappedFile can have.
constexpr size_t kMaxMapped = 4096;
// Bytes that are brought into memory before the first sample is needed.
constexpr uint64_t kTouchedBytes = uint64_t{64} << 20;
// Bytes of several files that are copied, by every rank of a host.
constexpr uint64_t kCopiedBytes = uint64_t{16} << 20;
// More files than this are opened when they are needed: a start would wait for them.
constexpr size_t kMaxLoaded = 1024;
constexpr size_t kMinOpen = 8;

// Half of the files that this process may still open, for others want some too.
size_t FilesToOpen() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMinOpen;
  std::error_code error;
  const auto open =
      std::distance(std::filesystem::directory_iterator("/proc/self/fd", error), std::filesystem::directory_iterator());
  const rlim_t left = limit.rlim_cur - std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(open));
  return std::max<size_t>(left / 2, kMinOpen);
}

}  // namespace

void Hdf5Sizes::Add(const Hdf5Layout& file) {
  ++files;
  for (const auto& [name, info] : file.datasets) {
    uint64_t& sum = info.contiguous ? stored : unpacked;
    sum += std::min(info.contiguous ? BytesOf(info) : info.unpacked_bytes, UINT64_MAX - sum);
  }
}

Hdf5Plan Hdf5Plan::For(const Hdf5Sizes& sizes) {
  Hdf5Plan plan;
  plan.most_open = FilesToOpen();
  plan.most_kept = kKeepBytes;
  plan.copies = sizes.stored <= kCopiedBytes && sizes.files > 1;
  plan.maps = !plan.copies && sizes.stored <= kMaxMappedBytes && sizes.files <= kMaxMapped;
  plan.touches = sizes.stored <= kTouchedBytes;
  plan.keeps_open = sizes.files <= plan.most_open;
  plan.keeps_unpacked = sizes.unpacked <= kKeepBytes;
  plan.loads_all = sizes.files <= kMaxLoaded && (plan.copies || plan.maps || plan.keeps_open);
  plan.blocks = std::make_shared<Hdf5BlockMemory>(kKeepBytes);
  return plan;
}

}  // namespace dfrun
