// A thread, as the processes of its host see it in /proc.
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

// Travels between ranks as its bytes. Thread safety: as a struct.
struct HostThread {
  std::array<char, 40> host{};  // HostId()
  uint64_t pid_namespace = 0;
  uint64_t started = 0;  // as ProcStat has it
  int32_t process = 0;   // as /proc names them; 0: they cannot be seen
  int32_t thread = 0;

  // The thread that calls it. Never fails: where /proc does not tell, the thread cannot be seen.
  static HostThread OfCaller();

  // The letter of `other`'s state, as ProcStat has it. 0: this thread does not see it, for it is of another host or PID
  // namespace, or hidden from this user, or has ended, and its number may be another's. A few µs.
  char StateOf(const HostThread& other) const;
};
static_assert(sizeof(HostThread) == 64);

// It runs, or waits for a CPU, a disk, a file system or memory.
constexpr bool IsAtWork(char state) {
  return state == 'R' || state == 'D';
}
constexpr bool IsStopped(char state) {
  return state == 'T' || state == 't';
}
// "is stopped (state T)"
std::string StateText(char state);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_HOST_THREAD_H_
