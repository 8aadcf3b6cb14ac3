#include "src/runs/run_state.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "src/base/file.h"
#include "src/base/stop_request.h"

namespace dfrun {
namespace {

bool IsOfStop(int64_t exit) {
  const bool is_signal =
      std::any_of(std::begin(kStopSignals), std::end(kStopSignals), [&](int signal) { return exit == 128 + signal; });
  return is_signal || exit == ExitCode(Code::kRequeue);
}

}  // namespace

RunLock LookAtLock(const std::string& run) {
  const std::string path = run + "/.lock";
  const FileDescriptor lock(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), path);
  if (lock.fd() < 0) return errno == ENOENT ? RunLock::kFree : RunLock::kNoLocks;
  if (::flock(lock.fd(), LOCK_SH | LOCK_NB) == 0) return RunLock::kFree;  // closing the file gives it back
  return errno == EWOULDBLOCK ? RunLock::kHeld : RunLock::kNoLocks;
}

RunState StateOf(const std::optional<RunStart>& start, RunLock lock, bool is_here, int64_t seconds_since_write) {
  if (lock == RunLock::kHeld) return RunState::kRunning;
  if (!start) return RunState::kUnknown;
  if (start->exit) {
    if (IsOfStop(*start->exit)) return RunState::kStopped;
    if (*start->exit != 0) return RunState::kFailed;
    return start->stopped.empty() ? RunState::kDone : RunState::kStopped;
  }
  const bool locks_tell = lock == RunLock::kFree && is_here;
  return !locks_tell && seconds_since_write < kHeartbeatS ? RunState::kRunning : RunState::kKilled;
}

std::string DescribeState(RunState state, const std::optional<RunStart>& start) {
  switch (state) {
    case RunState::kRunning:
      return "running";
    case RunState::kDone:
      return "done";
    case RunState::kStopped:
      return "stopped";
    case RunState::kFailed:
      return StrCat("failed (", start && start->exit ? *start->exit : 0, ")");
    case RunState::kKilled:
      return "killed";
    case RunState::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace dfrun
