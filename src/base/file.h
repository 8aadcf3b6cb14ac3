// Files through system calls, with errors that name the path and the reason.
#ifndef DFRUN_SRC_BASE_FILE_H_
#define DFRUN_SRC_BASE_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// A file descriptor with its path.
// Owns: the descriptor, which it closes.
// Thread safety: const methods from any thread (they use pread and pwrite).
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  // Refuses a directory, and a pipe, since nobody may ever write to it.
  static Result<FileDescriptor> OpenForReading(const std::string& path);
  // Opens a file that this program wrote under this very name: DataLoss where the name is that of a link, a directory,
  // a pipe or a device. Never blocks.
  static Result<FileDescriptor> OpenRegular(const std::string& path);
  // The file must exist.
  static Result<FileDescriptor> OpenForWriting(const std::string& path);
  // Creates the file; kAlreadyExists where the name is taken, if only by a link that leads nowhere.
  static Result<FileDescriptor> CreateNew(const std::string& path);
  // Opens the file for Append() and creates it where there is none. kIo where the name is not that of a regular file.
  static Result<FileDescriptor> OpenForAppending(const std::string& path);

  // Reads all `bytes` bytes or returns an error, DataLoss where the file ends before them.
  Status ReadAt(uint64_t offset, void* data, size_t bytes) const;
  Status WriteAt(uint64_t offset, const void* data, size_t bytes) const;
  // Writes at the end of a file that OpenForAppending() opened.
  Status Append(std::string_view data) const;
  Status Sync() const;
  Result<uint64_t> Size() const;
  const std::string& path() const { return path_; }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  std::string path_;
};

// A file that shall replace another. Until then it has a name beside that of the other: "a.tmp" for "a", or "a.tmp-1"
// and so on where that name is taken. It is removed when the object ends without a commit; a killed process
// leaves it behind.
// Thread safety: Create() from any thread, for one path too; const methods from any thread; a commit from one thread,
// while no other uses the object.
class TemporaryFile {
 public:
  // Returns kIo where `path` names something other than a regular file, which Commit() would not replace, and where all
  // 1000 temporary names are taken.
  static Result<TemporaryFile> Create(const std::string& path);
  TemporaryFile(TemporaryFile&& other) noexcept
      : file_(std::move(other.file_)), target_(std::exchange(other.target_, std::string())) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const FileDescriptor& file() const { return file_; }
  const std::string& path() const { return file_.path(); }
  // Syncs the file, renames it into place and syncs the directory: readers see the old content or the new.
  Status Commit();
  // Commits under another name in that directory.
  Status CommitAs(const std::string& target);

 private:
  TemporaryFile(FileDescriptor file, std::string target) : file_(std::move(file)), target_(std::move(target)) {}

  FileDescriptor file_;
  std::string target_;  // empty: committed or moved from
};

// Returns the file's bytes; an error if there are more than `limit`.
Result<std::string> ReadFile(const std::string& path, size_t limit);
// Returns the bytes of an open file; an error if there are more than `limit`.
Result<std::string> ReadAll(const FileDescriptor& file, size_t limit);
// Replaces the content of a file. After an error the file is as it was; see TemporaryFile.
Status WriteFileAtomically(const std::string& path, std::string_view content);

// Returns OK where WriteFileAtomically() may use this name: it is free or that of a regular file. Otherwise kIo, which
// names the kind of file that has the name.
Status CheckReplaceable(const std::string& path);
// "a directory", "a link", "a pipe", ... of st_mode.
const char* KindOfFile(mode_t mode);

// Syncs a directory's entries; OK, too, where the file system has no such call.
Status SyncDirectory(const std::string& path);
// The directory that `path` is in; "." for a name alone.
std::string ParentDirectory(const std::string& path);
// Makes the directory and its missing parents, and syncs the directory that holds each. A directory that exists is no
// error.
Status MakeDirectories(const std::string& path);
// Returns `before` + NUMBER + `after` with the first number from 1 on whose name is free.
Result<std::string> FreeName(const std::string& before, const std::string& after);
// Lists the names in a directory, sorted, without "." and "..". NotFound where it is missing; kIo where it cannot be
// read.
Result<std::vector<std::string>> ListDirectory(const std::string& path);
// crc32c and size of a whole file.
struct FileDigest {
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
};
Result<FileDigest> Digest(const FileDescriptor& file);
Result<FileDigest> DigestFile(const std::string& path);  // for a file that OpenRegular() opens
// "what path: reason" from errno, as an I/O error (NotFound for a missing file, kAlreadyExists for one in the way).
Status ErrnoError(std::string_view what, const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_FILE_H_
