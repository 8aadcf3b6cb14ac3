#include "comm/bootstrap/host_ranks.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>

#include "comm/bootstrap/launcher.h"
#include "src/base/proc_file.h"
#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

// PMIx's name of the job, which no other job has.
constexpr const char* kJobVariable = "PMIX_NAMESPACE";
// The variables that tell how many ranks a launcher has started on this host.
constexpr const char* kLocalSizes[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE",
                                       "PALS_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"};

// Returns the identity of the program's file; nullopt for another user's process, whose file is hidden.
std::optional<std::pair<dev_t, ino_t>> ProgramOf(pid_t pid) {
  struct stat found = {};
  if (::stat(StrCat("/proc/", pid, "/exe").c_str(), &found) != 0) return std::nullopt;
  return std::pair(found.st_dev, found.st_ino);
}

}  // namespace

struct HostRanks::Process : ProcStat {
  pid_t pid = 0;
  std::optional<int> rank = {};  // rank in its environment
  bool names_job = false;        // its environment has the job's name, or the job has none
};

HostRanks::HostRanks() {
  rank_variable_ = RankVariable();
  if (rank_variable_ == nullptr) return;
  own_rank_ = ParseAs<int>(std::getenv(rank_variable_)).value_or(0);
  size_ = RanksStarted().count;
  if (const char* const job = std::getenv(kJobVariable); job != nullptr) job_ = job;
  for (const char* variable : kLocalSizes) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && started_here_ == 0) started_here_ = ParseAs<int>(value).value_or(0);
  }
}

std::vector<HostRanks::Process> HostRanks::ReadProcesses() const {
  std::vector<Process> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (folder == nullptr) return processes;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const std::optional<pid_t> pid = ParseAs<pid_t>(entry->d_name);
    std::optional<ProcStat> stat = pid ? ReadProcStat(*pid) : std::nullopt;
    if (!stat) continue;
    Process process{*std::move(stat)};
    process.pid = *pid;
    const std::string environment = ReadProcFile(*pid, "environ");
    if (const auto rank = ValueIn(environment, rank_variable_)) process.rank = ParseAs<int>(*rank);
    process.names_job = job_.empty() || ValueIn(environment, kJobVariable) == job_;
    processes.push_back(std::move(process));
  }
  return processes;
}

// Returns the nearest ancestor that is no rank of this job; 0 if it cannot be seen from here.
pid_t HostRanks::FindLauncher(const std::vector<Process>& processes) const {
  pid_t pid = ::getpid();
  for (;;) {
    const auto found = std::find_if(processes.begin(), processes.end(), [&](const Process& p) { return p.pid == pid; });
    if (found == processes.end()) return 0;
    if (pid != ::getpid() && !(found->rank == own_rank_ && found->names_job)) return pid;
    pid = found->parent;
  }
}

bool HostRanks::IsOfThisJob(const Process& process, const std::vector<Process>& processes, pid_t launcher) const {
  if (!process.rank || !process.names_job || process.rank == own_rank_) return false;
  if (!job_.empty()) return true;
  for (pid_t pid = process.pid; launcher != 0 && pid > 1;) {
    if (pid == launcher) return true;
    const auto found = std::find_if(processes.begin(), processes.end(), [&](const Process& p) { return p.pid == pid; });
    if (found == processes.end()) return false;
    pid = found->parent;
  }
  return false;
}

// Adds the process to `found`. A rank is represented by its first process that runs this program, or otherwise by its
// newest process.
void HostRanks::Take(const Process& process, std::map<int, HostRank>& found) const {
  HostRank taken;
  taken.rank = *process.rank;
  taken.pid = process.pid;
  taken.started = process.started;
  taken.state = process.state;
  taken.program = process.name;
  taken.is_ours = ProgramOf(process.pid) == ProgramOf(::getpid());
  const auto [at, is_new] = found.emplace(taken.rank, taken);
  if (is_new) return;
  const HostRank& old = at->second;
  const bool is_first = std::pair(taken.started, taken.pid) < std::pair(old.started, old.pid);
  if (taken.is_ours != old.is_ours ? taken.is_ours : taken.is_ours == is_first) at->second = taken;
}

int HostRanks::CountNeverSeen(const std::vector<Process>& processes, pid_t launcher) const {
  if (launcher == 0 || started_here_ == 0) return 0;
  for (const Process& process : processes) {
    // This child of the launcher may become a rank, so nothing is known yet.
    if (process.parent == launcher && process.state != 'Z' && !(process.rank && process.names_job)) return 0;
  }
  return std::max(0, started_here_ - 1 - static_cast<int>(seen_.size()));
}

// Adds ranks that were never seen. Their numbers are known only if all ranks are on this host.
void HostRanks::AddNeverSeen(int count, std::vector<HostRank>& ranks) const {
  HostRank missing;
  missing.is_gone = true;
  for (int rank = 0; count > 0 && started_here_ == size_ && rank < size_; ++rank) {
    if (rank == own_rank_ || seen_.contains(rank)) continue;
    missing.rank = rank;
    ranks.push_back(missing);
    --count;
  }
  missing.rank = -1;
  ranks.insert(ranks.end(), static_cast<size_t>(count), missing);
}

std::vector<HostRank> HostRanks::RanksSeen() const {
  std::vector<HostRank> ranks;
  for (const auto& [rank, seen] : seen_) ranks.push_back(seen);
  return ranks;
}

std::vector<HostRank> HostRanks::Look() {
  if (rank_variable_ == nullptr) return {};
  const std::vector<Process> processes = ReadProcesses();
  // Without this process in it, /proc could not be read, which says nothing of the others.
  if (std::none_of(processes.begin(), processes.end(), [](const Process& p) { return p.pid == ::getpid(); })) {
    return RanksSeen();
  }
  const pid_t launcher = FindLauncher(processes);
  std::map<int, HostRank> found;
  for (const Process& process : processes) {
    if (IsOfThisJob(process, processes, launcher)) Take(process, found);
  }
  for (const auto& [rank, before] : seen_) {  // an ended process shows no environment, so it is looked up by its pid
    if (found.contains(rank)) continue;
    const auto process = std::find_if(processes.begin(), processes.end(),
                                      [pid = before.pid, started = before.started](const Process& p) {
                                        return p.pid == pid && p.started == started;
                                      });
    HostRank now = before;
    now.is_gone = process == processes.end();
    if (!now.is_gone) now.state = process->state;
    found.emplace(rank, now);
  }
  seen_ = found;
  std::vector<HostRank> ranks = RanksSeen();
  AddNeverSeen(CountNeverSeen(processes, launcher), ranks);
  return ranks;
}

bool HostRanks::IsThere(const HostRank& rank) {
  const std::optional<ProcStat> stat = ReadProcStat(rank.pid);
  return stat && stat->started == rank.started && stat->state != 'Z';
}

}  // namespace dfrun::comm
