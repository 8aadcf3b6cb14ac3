#include "comm/heartbeat/host_thread.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "src/base/file_version.h"
#include "src/base/proc_file.h"
#include "src/base/status.h"

namespace dfrun::comm {

// Reads the link in /proc itself, since /proc may have been mounted in another PID namespace than the thread's.
HostThread HostThread::OfCaller() {
  HostThread own;
  char target[64] = {};
  struct stat pids = {};
  if (::readlink("/proc/thread-self", target, sizeof target - 1) <= 0 || ::stat("/proc/self/ns/pid", &pids) != 0) {
    return own;
  }
  int process = 0;
  int thread = 0;
  if (std::sscanf(target, "%d/task/%d", &process, &thread) != 2) return own;
  const std::optional<ProcStat> stat = ReadThreadStat(process, thread);
  if (!stat || HostId().empty() || HostId().size() > own.host.size()) return own;
  HostId().copy(own.host.data(), own.host.size());
  own.pid_namespace = pids.st_ino;
  own.started = stat->started;
  own.process = process;
  own.thread = thread;
  return own;
}

char HostThread::StateOf(const HostThread& other) const {
  if (process == 0 || other.process == 0) return 0;
  if (host != other.host || pid_namespace != other.pid_namespace) return 0;
  const std::optional<ProcStat> stat = ReadThreadStat(other.process, other.thread);
  return stat && stat->started == other.started ? stat->state : '\0';
}

std::string StateText(char state) {
  const char* const text = state == 'R'       ? "runs, or waits for a CPU"
                           : state == 'D'     ? "waits for a disk, a file system or memory"
                           : IsStopped(state) ? "is stopped"
                           : state == 'S'     ? "sleeps"
                                              : "has ended";
  return StrCat(text, " (state ", std::string(1, state), ")");
}

}  // namespace dfrun::comm
