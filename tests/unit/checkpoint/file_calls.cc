#include "tests/unit/checkpoint/file_calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>

namespace dfrun::testing {
namespace {

struct Watch {
  std::mutex mutex;
  std::string directory;                   // empty: no directory is watched
  std::map<int, std::string> descriptors;  // paths below the directory
  std::map<DIR*, std::string> listings;
  std::vector<FileCall> changes;
  int until_failure = -1;
  bool fail_all = false;
  bool refuse_rename_flags = false;
  bool failed = false;
  int error = 0;
};

Watch& TheWatch() {
  static Watch& watch = *new Watch();
  return watch;
}

// The C library's function that this program's definition hides.
template <class F>
F* Original(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

// Returns the part of a path below the watched directory; nullopt for other paths.
std::optional<std::string> Below(const Watch& watch, const std::string& path) {
  if (watch.directory.empty() || !path.starts_with(watch.directory)) return std::nullopt;
  std::string rest = path.substr(watch.directory.size());
  if (!rest.empty() && rest[0] != '/') return std::nullopt;
  while (!rest.empty() && rest[0] == '/') rest.erase(0, 1);
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  return rest;
}

std::optional<std::string> Below(const Watch& watch, int directory, const char* path) {
  if (directory == AT_FDCWD || path[0] == '/') return Below(watch, std::string(path));
  const auto known = watch.descriptors.find(directory);
  if (known == watch.descriptors.end()) return std::nullopt;
  return known->second.empty() ? path : known->second + "/" + path;
}

std::optional<std::string> Below(const Watch& watch, int fd) {
  const auto known = watch.descriptors.find(fd);
  return known == watch.descriptors.end() ? std::nullopt : std::optional(known->second);
}

// Returns whether this call on a watched file must fail; sets errno if so.
bool Fails(Watch& watch) {
  if (watch.until_failure < 0) return false;
  if (watch.until_failure > 0) {
    --watch.until_failure;
    return false;
  }
  if (!watch.fail_all) watch.until_failure = -1;
  watch.failed = true;
  errno = watch.error;
  return true;
}

int Open(const char* function, int directory, const char* path, int flags, mode_t mode) {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  const std::optional<std::string> name = Below(watch, directory, path);
  if (name && Fails(watch)) return -1;
  struct stat before;
  const bool there =
      name && Original<int(int, const char*, struct stat*, int)>("fstatat")(directory, path, &before, 0) == 0;
  const int fd = Original<int(int, const char*, int, ...)>(function)(directory, path, flags, mode);
  if (fd >= 0) watch.descriptors.erase(fd);
  if (!name || fd < 0) return fd;
  watch.descriptors[fd] = *name;
  if (!there) watch.changes.push_back({FileCall::Kind::kCreate, *name, "", 0, ""});
  if (there && (flags & O_TRUNC) != 0) watch.changes.push_back({FileCall::Kind::kTruncate, *name, "", 0, ""});
  return fd;
}

ssize_t Write(int fd, const void* data, size_t bytes, std::optional<off_t> offset) {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  const std::optional<std::string> name = Below(watch, fd);
  if (name && Fails(watch)) return -1;
  if (name && !offset) {
    const bool appends = (::fcntl(fd, F_GETFL) & O_APPEND) != 0;
    offset = ::lseek(fd, 0, appends ? SEEK_END : SEEK_CUR);
    const ssize_t n = Original<ssize_t(int, const void*, size_t)>("write")(fd, data, bytes);
    if (n > 0) {
      watch.changes.push_back({FileCall::Kind::kWrite, *name, "", static_cast<uint64_t>(*offset),
                               std::string(static_cast<const char*>(data), static_cast<size_t>(n))});
    }
    return n;
  }
  if (!offset) return Original<ssize_t(int, const void*, size_t)>("write")(fd, data, bytes);
  const ssize_t n = Original<ssize_t(int, const void*, size_t, off_t)>("pwrite")(fd, data, bytes, *offset);
  if (name && n > 0) {
    watch.changes.push_back({FileCall::Kind::kWrite, *name, "", static_cast<uint64_t>(*offset),
                             std::string(static_cast<const char*>(data), static_cast<size_t>(n))});
  }
  return n;
}

// Makes a call. If it succeeds, it is recorded as `change`, unless that is nullopt.
template <class Name, class Call>
int Recorded(const Name& name_of, std::optional<FileCall> change, const Call& call) {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  const std::optional<std::string> name = name_of(watch);
  if (name && Fails(watch)) return -1;
  const int result = call();
  if (name && result == 0 && change) {
    change->path = *name;
    watch.changes.push_back(*std::move(change));
  }
  return result;
}

template <class Call>
int OnPath(int directory, const char* path, std::optional<FileCall> change, const Call& call) {
  return Recorded([&](const Watch& w) { return Below(w, directory, path); }, std::move(change), call);
}

template <class Call>
int OnDescriptor(int fd, std::optional<FileCall> change, const Call& call) {
  return Recorded([&](const Watch& w) { return Below(w, fd); }, std::move(change), call);
}

template <class Call>
int OnTwoPaths(FileCall::Kind kind, int from_directory, const char* from, int to_directory, const char* to,
               const Call& call) {
  FileCall change{kind, "", "", 0, ""};
  {
    Watch& watch = TheWatch();
    const std::lock_guard lock(watch.mutex);
    change.to = Below(watch, to_directory, to).value_or("");
  }
  return OnPath(from_directory, from, change, call);
}

std::optional<FileCall> Change(FileCall::Kind kind, uint64_t number = 0) {
  return FileCall{kind, "", "", number, ""};
}

// Records a sync of a watched file without making it: the test's disk loses nothing, and a sync takes time.
int Sync(int fd, const char* function) {
  bool is_watched = false;
  {
    const std::lock_guard lock(TheWatch().mutex);
    is_watched = Below(TheWatch(), fd).has_value();
  }
  return OnDescriptor(fd, Change(FileCall::Kind::kSync),
                      [&] { return is_watched ? 0 : Original<int(int)>(function)(fd); });
}

template <class Call>
ssize_t Read(int fd, const Call& call) {
  {
    Watch& watch = TheWatch();
    const std::lock_guard lock(watch.mutex);
    if (Below(watch, fd) && Fails(watch)) return -1;
  }
  return call();
}

template <class Entry>
Entry* ReadDirectory(DIR* listing, const char* function) {
  {
    Watch& watch = TheWatch();
    const std::lock_guard lock(watch.mutex);
    if (watch.listings.count(listing) > 0 && Fails(watch)) return nullptr;
  }
  return Original<Entry*(DIR*)>(function)(listing);
}

mode_t ModeArgument(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

FileCalls::FileCalls(const std::string& directory) {
  TheWatch().changes.clear();
  TheWatch().refuse_rename_flags = false;
  TheWatch().directory = directory;
}

FileCalls::~FileCalls() {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  watch.directory.clear();
  watch.descriptors.clear();
  watch.listings.clear();
  watch.changes.clear();
  watch.until_failure = -1;
  watch.failed = false;
}

void FileCalls::Fail(int index, int error, bool all) {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  watch.until_failure = index;
  watch.error = error;
  watch.fail_all = all;
  watch.failed = false;
}

bool FileCalls::failed() const {
  return TheWatch().failed;
}

void FileCalls::RefuseRenameFlags() {
  const std::lock_guard lock(TheWatch().mutex);
  TheWatch().refuse_rename_flags = true;
}

void FileCalls::Mark(uint64_t number) {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  watch.changes.push_back({FileCall::Kind::kMark, "", "", number, ""});
}

const std::vector<FileCall>& FileCalls::changes() const {
  return TheWatch().changes;
}

}  // namespace dfrun::testing

using dfrun::testing::Change;
using dfrun::testing::OnDescriptor;
using dfrun::testing::OnPath;
using dfrun::testing::OnTwoPaths;
using dfrun::testing::Original;
using Kind = dfrun::testing::FileCall::Kind;

// NOLINTBEGIN(cert-dcl50-cpp,readability-identifier-naming,readability-inconsistent-declaration-parameter-name)
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = dfrun::testing::ModeArgument(flags, arguments);
  va_end(arguments);
  return dfrun::testing::Open("openat", AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = dfrun::testing::ModeArgument(flags, arguments);
  va_end(arguments);
  return dfrun::testing::Open("openat64", AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = dfrun::testing::ModeArgument(flags, arguments);
  va_end(arguments);
  return dfrun::testing::Open("openat", directory, path, flags, mode);
}
int openat64(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = dfrun::testing::ModeArgument(flags, arguments);
  va_end(arguments);
  return dfrun::testing::Open("openat64", directory, path, flags, mode);
}
int close(int fd) {
  {
    auto& watch = dfrun::testing::TheWatch();
    const std::lock_guard lock(watch.mutex);
    watch.descriptors.erase(fd);
  }
  return Original<int(int)>("close")(fd);
}

ssize_t write(int fd, const void* data, size_t bytes) {
  return dfrun::testing::Write(fd, data, bytes, std::nullopt);
}
ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
  return dfrun::testing::Write(fd, data, bytes, offset);
}
ssize_t pwrite64(int fd, const void* data, size_t bytes, off64_t offset) {
  return dfrun::testing::Write(fd, data, bytes, offset);
}
ssize_t pread(int fd, void* data, size_t bytes, off_t offset) {
  return dfrun::testing::Read(
      fd, [&] { return Original<ssize_t(int, void*, size_t, off_t)>("pread")(fd, data, bytes, offset); });
}
ssize_t pread64(int fd, void* data, size_t bytes, off64_t offset) {
  return dfrun::testing::Read(
      fd, [&] { return Original<ssize_t(int, void*, size_t, off64_t)>("pread64")(fd, data, bytes, offset); });
}
int ftruncate(int fd, off_t size) noexcept {
  return OnDescriptor(fd, Change(Kind::kTruncate, static_cast<uint64_t>(size)),
                      [&] { return Original<int(int, off_t)>("ftruncate")(fd, size); });
}
int ftruncate64(int fd, off64_t size) noexcept {
  return OnDescriptor(fd, Change(Kind::kTruncate, static_cast<uint64_t>(size)),
                      [&] { return Original<int(int, off64_t)>("ftruncate64")(fd, size); });
}
int fsync(int fd) {
  return dfrun::testing::Sync(fd, "fsync");
}
int fdatasync(int fd) {
  return dfrun::testing::Sync(fd, "fdatasync");
}

int mkdir(const char* path, mode_t mode) noexcept {
  return OnPath(AT_FDCWD, path, Change(Kind::kMakeDirectory),
                [&] { return Original<int(const char*, mode_t)>("mkdir")(path, mode); });
}
int rmdir(const char* path) noexcept {
  return OnPath(AT_FDCWD, path, Change(Kind::kRemove), [&] { return Original<int(const char*)>("rmdir")(path); });
}
int unlink(const char* path) noexcept {
  return OnPath(AT_FDCWD, path, Change(Kind::kRemove), [&] { return Original<int(const char*)>("unlink")(path); });
}
int remove(const char* path) noexcept {
  return OnPath(AT_FDCWD, path, Change(Kind::kRemove), [&] { return Original<int(const char*)>("remove")(path); });
}
int unlinkat(int directory, const char* path, int flags) noexcept {
  return OnPath(directory, path, Change(Kind::kRemove),
                [&] { return Original<int(int, const char*, int)>("unlinkat")(directory, path, flags); });
}
int rename(const char* from, const char* to) noexcept {
  return OnTwoPaths(Kind::kRename, AT_FDCWD, from, AT_FDCWD, to,
                    [&] { return Original<int(const char*, const char*)>("rename")(from, to); });
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  return OnTwoPaths(Kind::kRename, from_directory, from, to_directory, to, [&] {
    return Original<int(int, const char*, int, const char*)>("renameat")(from_directory, from, to_directory, to);
  });
}
int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) noexcept {
  const Kind kind = (flags & RENAME_EXCHANGE) != 0 ? Kind::kExchange : Kind::kRename;
  return OnTwoPaths(kind, from_directory, from, to_directory, to, [&] {
    if (flags != 0 && dfrun::testing::TheWatch().refuse_rename_flags) {
      errno = EINVAL;
      return -1;
    }
    return Original<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_directory, from, to_directory,
                                                                                    to, flags);
  });
}
int link(const char* from, const char* to) noexcept {
  return OnTwoPaths(Kind::kLink, AT_FDCWD, from, AT_FDCWD, to,
                    [&] { return Original<int(const char*, const char*)>("link")(from, to); });
}
int symlink(const char* target, const char* path) noexcept {
  return OnPath(AT_FDCWD, path, dfrun::testing::FileCall{Kind::kSymlink, "", "", 0, target},
                [&] { return Original<int(const char*, const char*)>("symlink")(target, path); });
}

int stat(const char* path, struct stat* info) noexcept {
  return OnPath(AT_FDCWD, path, std::nullopt,
                [&] { return Original<int(const char*, struct stat*)>("stat")(path, info); });
}
int lstat(const char* path, struct stat* info) noexcept {
  return OnPath(AT_FDCWD, path, std::nullopt,
                [&] { return Original<int(const char*, struct stat*)>("lstat")(path, info); });
}
DIR* opendir(const char* path) {
  auto& watch = dfrun::testing::TheWatch();
  const std::lock_guard lock(watch.mutex);
  const std::optional<std::string> name = dfrun::testing::Below(watch, std::string(path));
  if (name && dfrun::testing::Fails(watch)) return nullptr;
  DIR* listing = Original<DIR*(const char*)>("opendir")(path);
  if (name && listing != nullptr) watch.listings[listing] = *name;
  return listing;
}
struct dirent* readdir(DIR* listing) {
  return dfrun::testing::ReadDirectory<struct dirent>(listing, "readdir");
}
struct dirent64* readdir64(DIR* listing) {
  return dfrun::testing::ReadDirectory<struct dirent64>(listing, "readdir64");
}
int closedir(DIR* listing) {
  {
    auto& watch = dfrun::testing::TheWatch();
    const std::lock_guard lock(watch.mutex);
    watch.listings.erase(listing);
    watch.descriptors.erase(::dirfd(listing));
  }
  return Original<int(DIR*)>("closedir")(listing);
}

}  // extern "C"
// NOLINTEND(cert-dcl50-cpp,readability-identifier-naming,readability-inconsistent-declaration-parameter-name)

// LeakSanitizer asks for this. HDF5 1.10 loses memory of its own where a file cannot be written as it is closed, which
// the faults here make happen.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5\n";
}
