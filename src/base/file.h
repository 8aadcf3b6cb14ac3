// Files through system calls, with errors that name the path and the reason.
#ifndef DFRUN_SRC_BASE_FILE_H_
#define DFRUN_SRC_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/status.h"

namespace dfrun {

// Owns a file descriptor. Thread safety: const methods from any thread (they use pread and pwrite).
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  // No directory, and no pipe, which may never be written to.
  static Result<FileDescriptor> OpenForReading(const std::string& path);
  // A regular file, by a name that is no link; DataLoss for anything else.
  static Result<FileDescriptor> OpenRegular(const std::string& path);
  // The file must exist.
  static Result<FileDescriptor> OpenForWriting(const std::string& path);

  // All `bytes` bytes or an error; DataLoss where the file ends before them.
  Status ReadAt(uint64_t offset, void* data, size_t bytes) const;
  Status WriteAt(uint64_t offset, const void* data, size_t bytes) const;
  Status Sync() const;
  Result<uint64_t> Size() const;
  const std::string& path() const { return path_; }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  std::string path_;
};

// The file's bytes; an error if there are more than `limit`.
Result<std::string> ReadFile(const std::string& path, size_t limit);
Result<std::string> ReadAll(const FileDescriptor& file, size_t limit);
// Writes, syncs and renames into place, then syncs the directory: readers see the old content or the new.
Status WriteFileAtomically(const std::string& path, std::string_view content);
Status SyncDirectory(const std::string& path);
// crc32c and size of a whole file, as OpenRegular() has it.
struct FileDigest {
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
};
Result<FileDigest> DigestFile(const std::string& path);
// "what path: reason" from errno, as an I/O error (NotFound for a missing file).
Status ErrnoError(std::string_view what, const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_FILE_H_
