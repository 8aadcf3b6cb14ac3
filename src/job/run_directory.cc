#include "src/job/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "src/base/log.h"
#include "src/base/path_hint.h"

namespace dfrun {
namespace {

// Returns the size of the file with this name, in bytes; nothing where there is none.
Result<std::optional<off_t>> SizeOf(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) return std::optional(info.st_size);
  if (errno == ENOENT) return std::optional<off_t>();
  return ErrnoError("cannot look at", path);
}

// A job that failed before its first logged step leaves nothing that another could spoil.
Result<bool> HoldsRun(const std::string& path) {
  DF_ASSIGN(const std::optional<off_t> metrics, SizeOf(path + "/metrics.jsonl"));
  DF_ASSIGN(const std::optional<off_t> checkpoints, SizeOf(path + "/checkpoints"));
  return metrics.value_or(0) > 0 || checkpoints.has_value();
}

Status CheckHoldsNoRun(const std::string& path) {
  DF_ASSIGN(const bool holds, HoldsRun(path));
  if (!holds) return Status();
  return Error(Code::kUsage, "the run directory ", path,
               " holds a run already; continue it with --resume, or name another with --output");
}

// Locks the file; false, with errno, where that is not possible. A program that looks whether a run still goes on holds
// the lock for some microseconds: another job holds it for longer.
bool TryLock(int fd) {
  constexpr int kTries = 20;
  constexpr auto kPause = std::chrono::milliseconds(5);
  for (int i = 0; i < kTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return false;
  }
  return false;
}

}  // namespace

Result<RunDirectory> RunDirectory::Open(const std::string& path, bool resume) {
  RunDirectory directory(path);
  DF_ASSIGN(const std::optional<off_t> there, SizeOf(path));
  if (!there && IsForeignPath(path))
    return Error(Code::kUsage, "'", path, "' cannot become a run directory", AboutPath(path));
  if (!there) return directory;
  if (!resume) DF_TRY(CheckHoldsNoRun(path));  // before there is a lock in it
  DF_ASSIGN(directory.lock_, directory.Lock());
  if (!resume) DF_TRY(CheckHoldsNoRun(path));
  return directory;
}

Status RunDirectory::Make() {
  if (lock_.fd() >= 0) return Status();
  DF_TRY(MakeDirectories(path_));
  DF_ASSIGN(FileDescriptor lock, Lock());
  DF_TRY(CheckHoldsNoRun(path_));
  lock_ = std::move(lock);
  return Status();
}

Result<FileDescriptor> RunDirectory::Lock() const {
  const std::string path = path_ + "/.lock";
  DF_TRY(CheckReplaceable(path));
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644), path);
  if (lock.fd() < 0) return ErrnoError("cannot open", path);
  if (TryLock(lock.fd())) return lock;
  if (errno != EWOULDBLOCK) {
    DF_LOG(kWarning) << "the file system of " << path_ << " has no locks (" << std::strerror(errno)
                     << "): nothing keeps another job from working there at the same time";
    return lock;
  }
  return Error(Code::kUsage, "another process is at work in the run directory ", path_,
               "; wait for its end, or name another with --output");
}

}  // namespace dfrun
