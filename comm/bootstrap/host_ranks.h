// What /proc shows of the ranks that this process's launcher started on this host.
//
//   HostRanks ranks;                       // before MPI starts, which may change the environment
//   ... for (const HostRank& rank : ranks.Look()) ...
#ifndef DFRUN_COMM_BOOTSTRAP_HOST_RANKS_H_
#define DFRUN_COMM_BOOTSTRAP_HOST_RANKS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dfrun::comm {

struct HostRank {
  int rank = 0;          // -1: not known
  pid_t pid = 0;         // 0: it was never seen
  uint64_t started = 0;  // as /proc tells it: a pid with another start is another process
  char state = 'R';      // as /proc tells it: T and t are stopped, Z has ended, D waits for a disk or a file system
  bool is_gone = false;  // it is no process of this host any more
  bool is_ours = false;  // runs the program that this process runs
  std::string program;   // "sleep"

  bool is_stopped() const { return state == 'T' || state == 't'; }
  bool has_ended() const { return is_gone || state == 'Z'; }
};

// Ranks are known by the environment that the launcher has given them, and where it names no job, by being the
// launcher's children. A rank in a PID namespace of its own, or of another user, is not seen.
// Thread safety: one thread at a time.
class HostRanks {
 public:
  // Reads the environment.
  HostRanks();

  int own_rank() const { return own_rank_; }
  // All ranks of the job; 1 where no launcher tells it.
  int size() const { return size_; }

  // The other ranks of this host, by rank: what is seen of them now, and those that have ended: they were seen before,
  // or the launcher tells that it started more than are there, and all of its children are ranks. Reads /proc of all
  // processes, about 10 µs each.
  std::vector<HostRank> Look();
  // Whether this process is still there.
  static bool IsThere(const HostRank& rank);

 private:
  struct Process;
  std::vector<Process> ReadProcesses() const;
  pid_t FindLauncher(const std::vector<Process>& processes) const;
  bool IsOfThisJob(const Process& process, const std::vector<Process>& processes, pid_t launcher) const;
  int CountNeverSeen(const std::vector<Process>& processes, pid_t launcher) const;
  void AddNeverSeen(int count, std::vector<HostRank>& ranks) const;
  void Take(const Process& process, std::map<int, HostRank>& found) const;

  const char* rank_variable_ = nullptr;
  int own_rank_ = 0;
  int size_ = 1;
  int started_here_ = 0;  // by the launcher; 0: it does not tell
  std::string job_;       // as PMIx names it; empty: another launcher's
  std::map<int, HostRank> seen_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_HOST_RANKS_H_
