// Files of /proc, whose sizes are not known beforehand.
#ifndef DFRUN_SRC_BASE_PROC_FILE_H_
#define DFRUN_SRC_BASE_PROC_FILE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dfrun {

// Returns the content of a file of a process, "stat" or "environ". Empty where it cannot be read: the process has
// ended, perhaps meanwhile, or it is another user's.
// Thread safety: any thread.
std::string ReadProcFile(pid_t process, const char* name);

// Returns a variable's value in an environment as /proc holds it: entries NAME=VALUE, each with a NUL behind it.
std::optional<std::string> ValueIn(const std::string& environment, std::string_view variable);

// The content of the "stat" of a process or a thread.
struct ProcStat {
  std::string name;      // "dfrun"; it may hold any byte
  char state = 'R';      // R runs or waits for a CPU, S sleeps, D waits for a disk, T and t are stopped, Z has ended
  pid_t parent = 0;      // parent of the process
  uint64_t started = 0;  // in ticks since the host's start: a number with another start is another process, or thread
};

// Return nullopt if the file cannot be read, for the same reasons.
// Thread safety: any thread.
std::optional<ProcStat> ReadProcStat(pid_t process);
std::optional<ProcStat> ReadThreadStat(pid_t process, pid_t thread);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_PROC_FILE_H_
