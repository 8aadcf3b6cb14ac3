#include "src/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "src/base/crc32c.h"

namespace dfrun {
namespace {

constexpr size_t kDigestBlock = size_t{1} << 20;
constexpr int kTemporaryNames = 1000;

Result<FileDescriptor> Open(const std::string& path, int flags, std::string_view what) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoError(what, path);
  return FileDescriptor(fd, path);
}

Result<mode_t> ModeOf(const FileDescriptor& file) {
  struct stat info;
  if (::fstat(file.fd(), &info) != 0) return ErrnoError("cannot look at", file.path());
  return info.st_mode;
}

Code CodeOfErrno(int error) {
  if (error == ENOENT) return Code::kNotFound;
  return error == EEXIST ? Code::kAlreadyExists : Code::kIo;
}

}  // namespace

Status ErrnoError(std::string_view what, const std::string& path) {
  const int error = errno;
  return Error(CodeOfErrno(error), what, " ", path, ": ", std::strerror(error));
}

const char* KindOfFile(mode_t mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISLNK(mode)) return "a link";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
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
  DF_ASSIGN(const mode_t mode, ModeOf(file));
  if (!S_ISDIR(mode) && !S_ISFIFO(mode)) return file;
  return IoError("cannot read ", path, ": it is ", KindOfFile(mode));
}

Result<FileDescriptor> FileDescriptor::OpenRegular(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return ErrnoError("cannot open", path);
  const auto other = [&](mode_t mode) {
    return Error(Code::kDataLoss, path, " is ", KindOfFile(mode), ", not a regular file");
  };
  if (!S_ISREG(info.st_mode)) return other(info.st_mode);  // opening a device may do something
  DF_ASSIGN(FileDescriptor file, Open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, "cannot open"));
  DF_ASSIGN(const mode_t mode, ModeOf(file));
  if (!S_ISREG(mode)) return other(mode);
  return file;
}

Result<FileDescriptor> FileDescriptor::OpenForWriting(const std::string& path) {
  return Open(path, O_WRONLY, "cannot open for writing");
}

Result<FileDescriptor> FileDescriptor::CreateNew(const std::string& path) {
  return Open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, "cannot create");
}

Result<FileDescriptor> FileDescriptor::OpenForAppending(const std::string& path) {
  DF_TRY(CheckReplaceable(path));
  DF_ASSIGN(FileDescriptor file, Open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, "cannot open"));
  DF_ASSIGN(const mode_t mode, ModeOf(file));
  if (!S_ISREG(mode)) return IoError("cannot write ", path, ": it is ", KindOfFile(mode));
  return file;
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

Status FileDescriptor::Append(std::string_view data) const {
  while (!data.empty()) {
    const ssize_t n = ::write(fd_, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError("cannot write", path_);
    data.remove_prefix(static_cast<size_t>(n));
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

Result<TemporaryFile> TemporaryFile::Create(const std::string& path) {
  DF_TRY(CheckReplaceable(path));
  for (int i = 0; i < kTemporaryNames; ++i) {
    Result<FileDescriptor> file = FileDescriptor::CreateNew(StrCat(path, ".tmp", i == 0 ? "" : StrCat("-", i)));
    if (file.ok()) return TemporaryFile(*std::move(file), path);
    if (file.status().code() != Code::kAlreadyExists) return file.status();
  }
  return IoError("cannot write ", path, ": all names from ", path, ".tmp to ", path, ".tmp-", kTemporaryNames - 1,
                 " are taken; remove those that nothing needs");
}

TemporaryFile::~TemporaryFile() {
  if (!target_.empty()) ::unlink(path().c_str());
}

Status TemporaryFile::Commit() {
  return CommitAs(target_);
}

Status TemporaryFile::CommitAs(const std::string& target) {
  const std::string name = target;
  DF_TRY(file_.Sync());
  if (::rename(path().c_str(), name.c_str()) != 0) return ErrnoError("cannot rename into place", name);
  target_.clear();
  return SyncDirectory(ParentDirectory(name));
}

Result<std::string> ReadFile(const std::string& path, size_t limit) {
  DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForReading(path));
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
  DF_ASSIGN(TemporaryFile temporary, TemporaryFile::Create(path));
  DF_TRY(temporary.file().WriteAt(0, content.data(), content.size()));
  return temporary.Commit();
}

Status CheckReplaceable(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT ? Status() : ErrnoError("cannot look at", path);
  if (S_ISREG(info.st_mode)) return Status();
  return IoError("cannot write ", path, ": ", KindOfFile(info.st_mode),
                 " stands there; move it away, or give another name");
}

Status SyncDirectory(const std::string& path) {
  DF_ASSIGN(FileDescriptor directory, Open(path, O_RDONLY | O_DIRECTORY, "cannot open the directory"));
  if (::fsync(directory.fd()) == 0 || errno == EINVAL || errno == ENOTSUP) return Status();
  return ErrnoError("cannot sync", path);
}

std::string ParentDirectory(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

Status MakeDirectories(const std::string& path) {
  const size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return Status();  // "/", or the directory that the process is in
  const std::string directory = path.substr(0, end + 1);
  struct stat info;
  if (::stat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return Status();
  const std::string parent = ParentDirectory(directory);
  if (parent != ".") DF_TRY(MakeDirectories(parent));
  if (::mkdir(directory.c_str(), 0777) != 0) {
    if (errno == EEXIST && ::stat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return Status();
    return IoError("cannot make the directory ", directory, ": ", std::strerror(errno));
  }
  return SyncDirectory(parent);
}

Result<std::string> FreeName(const std::string& before, const std::string& after) {
  struct stat info;
  for (int i = 1;; ++i) {
    std::string name = StrCat(before, i, after);
    if (::lstat(name.c_str(), &info) == 0) continue;
    if (errno == ENOENT) return name;
    return ErrnoError("cannot look at", name);
  }
}

Result<std::vector<std::string>> ListDirectory(const std::string& path) {
  const auto close = [](DIR* directory) { ::closedir(directory); };
  const std::unique_ptr<DIR, decltype(close)> directory(::opendir(path.c_str()), close);
  if (directory == nullptr) return ErrnoError("cannot list", path);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return ErrnoError("cannot list", path);
  std::sort(names.begin(), names.end());
  return names;
}

Result<FileDigest> Digest(const FileDescriptor& file) {
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

Result<FileDigest> DigestFile(const std::string& path) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenRegular(path));
  return Digest(file);
}

}  // namespace dfrun
