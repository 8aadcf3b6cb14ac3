#include "src/base/terminal.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>

#include "src/base/printable.h"
#include "src/base/proc_file.h"
#include "src/base/status.h"
#include "src/base/stop_request.h"

namespace dfrun {
namespace {

// The target of a process's output: "/dev/pts/3", "pipe:[7]"; empty where it cannot be seen.
std::string OutputOf(pid_t process, int fd) {
  char target[64] = {};
  const ssize_t length = ::readlink(StrCat("/proc/", process, "/fd/", fd).c_str(), target, sizeof target - 1);
  return std::string(target, length > 0 ? static_cast<size_t>(length) : 0);
}

// Returns 0 where there is none that can be seen.
pid_t ParentOf(pid_t process) {
  const std::optional<ProcStat> stat = ReadProcStat(process);
  return stat ? stat->parent : 0;
}

// The output of the nearest ancestor that has another one.
std::string OutputOfLauncher(int fd, const std::string& own) {
  pid_t ancestor = ::getppid();
  while (ancestor > 1 && OutputOf(ancestor, fd) == own) ancestor = ParentOf(ancestor);
  return OutputOf(ancestor, fd);
}

}  // namespace

bool IsTerminal(std::FILE* out) {
  const int fd = ::fileno(out);
  const bool is_terminal = ::isatty(fd) == 1;
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return is_terminal;
  const std::string own = OutputOf(::getpid(), fd);
  if (!is_terminal && !own.starts_with("pipe:")) return false;
  const std::string output = OutputOfLauncher(fd, own);
  return output.starts_with("/dev/pts/") || output.starts_with("/dev/tty");
}

bool IsTaken(std::FILE* out) {
  constexpr int kSliceMs = 100;
  constexpr int kSlicesAfterStop = 10;
  pollfd ready{::fileno(out), POLLOUT, 0};
  for (int asked = 0; ready.fd >= 0 && asked < kSlicesAfterStop;) {
    const int found = ::poll(&ready, 1, kSliceMs);
    if (found > 0 || (found < 0 && errno != EINTR)) return true;
    if (ProcessStop().signal() != 0) ++asked;
  }
  return ready.fd < 0;
}

void WriteText(std::FILE* out, std::string_view text) {
  static const bool stdout_is_terminal = IsTerminal(stdout);
  static const bool stderr_is_terminal = IsTerminal(stderr);
  const bool escapes = (out == stdout && stdout_is_terminal) || (out == stderr && stderr_is_terminal);
  const std::string shown = escapes ? WithoutControls(text) : std::string(text);
  if (IsTaken(out)) std::fwrite(shown.data(), 1, shown.size(), out);
}

}  // namespace dfrun
