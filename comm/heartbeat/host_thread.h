// The identity of a thread, by which other processes of its host find it in /proc.
//
//   const HostThread own = HostThread::OfCaller();
//   ... `other` has come from another rank ...
//   if (IsAtWork(own.StateOf(other))) ...
#ifndef DFRUN_COMM_HEARTBEAT_HOST_THREAD_H_
#define DFRUN_COMM_HEARTBEAT_HOST_THREAD_H_

#include <array>
#include <cstdint>
#include <string>

namespace dfrun::comm {

// Invariants: trivially copyable, since ranks exchange its bytes.
// Thread safety: that of a struct.
struct HostThread {
  std::array<char, 40> host{};  // HostId()
  uint64_t pid_namespace = 0;
  uint64_t started = 0;  // ProcStat's value
  int32_t process = 0;   // number of the process in /proc, as in `thread`; 0: the thread cannot be seen
  int32_t thread = 0;

  // Returns the calling thread. Never fails: if /proc does not tell, the result is a thread that cannot be seen.
  static HostThread OfCaller();

  // Returns the letter of `other`'s state (ProcStat). Returns 0 if this thread cannot see `other`: it is on another
  // host or in another PID namespace, it is hidden from this user, or it has ended. Takes a few µs.
  char StateOf(const HostThread& other) const;
};
static_assert(sizeof(HostThread) == 64);

// Returns whether the thread runs, or waits for a CPU, a disk, a file system or memory.
constexpr bool IsAtWork(char state) {
  return state == 'R' || state == 'D';
}
constexpr bool IsStopped(char state) {
  return state == 'T' || state == 't';
}
// Describes a state: "is stopped (state T)".
std::string StateText(char state);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_HOST_THREAD_H_
