// The processes of this job's ranks on this host, as /proc shows them.
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
  uint64_t started = 0;  // start time from /proc: a pid with another start time is another process
  char state = 'R';      // state from /proc: T and t are stopped, Z has ended, D waits for a disk or a file system
  bool is_gone = false;  // the host has no such process any more
  bool is_ours = false;  // the process runs the same program as this one
  std::string program;   // "sleep"

  bool is_stopped() const { return state == 'T' || state == 't'; }
  bool has_ended() const { return is_gone || state == 'Z'; }
};

// Finds the ranks by the environment that the launcher gave them. If the environment names no job, they are the
// launcher's descendants that have a rank in their environment. A rank in a PID namespace of its own, or of another
// user, is not seen.
// Thread safety: one thread at a time.
class HostRanks {
 public:
  // Reads the environment.
  HostRanks();

  int own_rank() const { return own_rank_; }
  // Returns the number of ranks of the job; 1 if the launcher does not tell it.
  int size() const { return size_; }

  // Returns the other ranks of this host, by rank: the processes that run now, and the ranks that have ended. A rank
  // has ended if it was seen before and is not there now, or if the launcher tells that it started more ranks than it
  // has children and all of its children are ranks. Where /proc cannot be read, as without a free descriptor, the ranks
  // are as they were last seen. Reads /proc of all processes, about 10 µs each.
  std::vector<HostRank> Look();
  // Returns whether this process still runs.
  static bool IsThere(const HostRank& rank);

 private:
  struct Process;
  std::vector<Process> ReadProcesses() const;
  pid_t FindLauncher(const std::vector<Process>& processes) const;
  bool IsOfThisJob(const Process& process, const std::vector<Process>& processes, pid_t launcher) const;
  int CountNeverSeen(const std::vector<Process>& processes, pid_t launcher) const;
  void AddNeverSeen(int count, std::vector<HostRank>& ranks) const;
  void Take(const Process& process, std::map<int, HostRank>& found) const;
  std::vector<HostRank> RanksSeen() const;

  const char* rank_variable_ = nullptr;
  int own_rank_ = 0;
  int size_ = 1;
  int started_here_ = 0;  // ranks of this host that the launcher started; 0: it does not tell
  std::string job_;       // the job's name in PMIx; empty: another launcher
  std::map<int, HostRank> seen_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_HOST_RANKS_H_
