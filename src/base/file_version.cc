#include "src/base/file_version.h"

#include <sys/stat.h>

#include <fstream>

namespace dfrun {
namespace {

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileVersion VersionIn(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .bytes = static_cast<uint64_t>(info.st_size),
          .modified_ns = Nanoseconds(info.st_mtim),
          .changed_ns = Nanoseconds(info.st_ctim)};
}

}  // namespace

Result<FileVersion> VersionOf(const FileDescriptor& file) {
  struct stat info;
  if (::fstat(file.fd(), &info) != 0) return ErrnoError("cannot look at", file.path());
  return VersionIn(info);
}

std::optional<FileVersion> VersionOfPath(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return {};
  return VersionIn(info);
}

const std::string& HostId() {
  static const std::string& id = *[] {
    auto* const boot = new std::string;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> *boot;
    return boot;
  }();
  return id;
}

}  // namespace dfrun
