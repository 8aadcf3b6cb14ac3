#include "src/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "src/base/crc32c.h"

namespace dfrun {
namespace {

constexpr size_t kDigestBlock = size_t{1} << 20;

Result<FileDescriptor> Open(const std::string& path, int flags, std::string_view what) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoError(what, path);
  return FileDescriptor(fd, path);
}

}  // namespace

Status ErrnoError(std::string_view what, const std::string& path) {
  const int error = errno;
  return Error(error == ENOENT ? Code::kNotFound : Code::kIo, what, " ", path, ": ", std::strerror(error));
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<FileDescriptor> FileDescriptor::OpenForReading(const std::string& path) {
  DF_ASSIGN(FileDescriptor file, Open(path, O_RDONLY | O_NONBLOCK, "cannot open"));
  struct stat info;
  if (::fstat(file.fd_, &info) != 0) return ErrnoError("cannot look at", path);
  if (!S_ISDIR(info.st_mode) && !S_ISFIFO(info.st_mode)) return file;
  return IoError("cannot read ", path, ": it is a ", S_ISDIR(info.st_mode) ? "directory" : "pipe");
}

Result<FileDescriptor> FileDescriptor::OpenRegular(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return ErrnoError("cannot open", path);
  const char* const kind = S_ISLNK(info.st_mode) ? "a link" : "something else";
  const Status other = Error(Code::kDataLoss, path, " is ", kind, ", not a regular file");
  if (!S_ISREG(info.st_mode)) return other;  // opening a device may do something
  DF_ASSIGN(FileDescriptor file, Open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, "cannot open"));
  if (::fstat(file.fd_, &info) != 0) return ErrnoError("cannot look at", path);
  if (!S_ISREG(info.st_mode)) return other;
  return file;
}

Result<FileDescriptor> FileDescriptor::OpenForWriting(const std::string& path) {
  return Open(path, O_WRONLY, "cannot open for writing");
}

Status FileDescriptor::ReadAt(uint64_t offset, void* data, size_t bytes) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pread(fd_, to, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError("cannot read", path_);
    if (n == 0) return Error(Code::kDataLoss, path_, " ends at byte ", offset, ", ", bytes, " bytes before it should");
    to += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return Status();
}

Status FileDescriptor::WriteAt(uint64_t offset, const void* data, size_t bytes) const {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pwrite(fd_, from, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError("cannot write", path_);
    from += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return Status();
}

Status FileDescriptor::Sync() const {
  return ::fsync(fd_) == 0 ? Status() : ErrnoError("cannot sync", path_);
}

Result<uint64_t> FileDescriptor::Size() const {
  struct stat info;
  if (::fstat(fd_, &info) != 0) return ErrnoError("cannot look at", path_);
  return static_cast<uint64_t>(info.st_size);
}

Result<std::string> ReadFile(const std::string& path, size_t limit) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenForReading(path));
  return ReadAll(file, limit);
}

Result<std::string> ReadAll(const FileDescriptor& file, size_t limit) {
  DF_ASSIGN(const uint64_t size, file.Size());
  if (size > limit) return IoError(file.path(), " has ", size, " bytes; at most ", limit, " are read");
  std::string content(size, '\0');
  DF_TRY(file.ReadAt(0, content.data(), content.size()));
  return content;
}

Status WriteFileAtomically(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".tmp";
  {
    DF_ASSIGN(FileDescriptor file, Open(temporary, O_WRONLY | O_CREAT | O_TRUNC, "cannot create"));
    DF_TRY(file.WriteAt(0, content.data(), content.size()));
    DF_TRY(file.Sync());
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return ErrnoError("cannot rename into place", path);
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return SyncDirectory(parent.empty() ? "." : parent);
}

Status SyncDirectory(const std::string& path) {
  DF_ASSIGN(FileDescriptor directory, Open(path, O_RDONLY | O_DIRECTORY, "cannot open the directory"));
  return directory.Sync();
}

Result<FileDigest> DigestFile(const std::string& path) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenRegular(path));
  FileDigest digest;
  DF_ASSIGN(digest.bytes, file.Size());
  std::vector<char> block(kDigestBlock);
  for (uint64_t at = 0; at < digest.bytes; at += kDigestBlock) {
    const size_t n = std::min<uint64_t>(kDigestBlock, digest.bytes - at);
    DF_TRY(file.ReadAt(at, block.data(), n));
    digest.crc32c = ExtendCrc32c(digest.crc32c, block.data(), n);
  }
  return digest;
}

}  // namespace dfrun
