#include "src/session/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "src/base/file.h"

namespace dfrun {
namespace {

// A job that failed before its first logged step leaves nothing that another could spoil.
bool HoldsRun(const std::string& path) {
  std::error_code error;
  const uintmax_t metrics = std::filesystem::file_size(path + "/metrics.jsonl", error);
  return (!error && metrics > 0) || std::filesystem::exists(path + "/checkpoints", error);
}

}  // namespace

Result<RunDirectory> RunDirectory::Open(const std::string& path, bool resume) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!resume && HoldsRun(path)) {
    return Error(Code::kUsage, "the run directory ", path,
                 " holds a run already; continue it with --resume, or name another with --output");
  }
  fs::create_directories(path, error);
  if (error) return IoError("cannot make the run directory ", path, ": ", error.message());
  const std::string lock_path = path + "/.lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return ErrnoError("cannot open", lock_path);
  RunDirectory directory(path, lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Error(Code::kUsage, "another process is at work in the run directory ", path,
                 "; wait for its end, or name another with --output");
  }
  return directory;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace dfrun
