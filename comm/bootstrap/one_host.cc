#include "comm/bootstrap/one_host.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "comm/bootstrap/launcher.h"
#include "src/base/proc_file.h"
#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

// How many ranks a launcher has started in all, and how many on this host.
struct RankCounts {
  const char* all;
  const char* here;
};
constexpr RankCounts kRankCounts[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                      {"PMI_SIZE", "MPI_LOCALNRANKS"},
                                      {"PMI_SIZE", "PMI_LOCAL_SIZE"},
                                      {"JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_LOCAL_SIZE"},
                                      {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"},
                                      {"MVP_COMM_WORLD_SIZE", "MVP_COMM_WORLD_LOCAL_SIZE"}};

// On how many hosts a starter of tasks has started its step. An mpirun's own helpers may be such tasks, whose variables
// the ranks then inherit: they count where they tell the same rank and size as the launcher does.
struct HostCount {
  const char* rank;
  const char* all;
  const char* hosts;
};
constexpr HostCount kHostCounts[] = {{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NUM_NODES"},
                                     {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_JOB_NNODES"}};
constexpr const char* kLauncherRanks[] = {"PMIX_RANK", "PMI_RANK"};

std::optional<int> IntIn(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : ParseAs<int>(text);
}

// Every launcher that counts both must say so: one may have been started by another's rank.
std::optional<std::string> ProofByRanks() {
  std::optional<std::string> proof;
  for (const RankCounts& counts : kRankCounts) {
    const std::optional<int> all = IntIn(counts.all);
    const std::optional<int> here = IntIn(counts.here);
    if (!all || !here) continue;
    if (*all != *here || *all < 2) return "";
    if (!proof) proof = StrCat(counts.here, "=", *here, " of ", counts.all);
  }
  return proof;
}

bool IsOfLauncher(const HostCount& counts) {
  bool is_told = false;
  for (const char* variable : kLauncherRanks) {
    const std::optional<int> rank = IntIn(variable);
    if (!rank) continue;
    if (rank != IntIn(counts.rank)) return false;
    is_told = true;
  }
  const std::optional<int> size = IntIn("PMI_SIZE");
  return is_told && (!size || size == IntIn(counts.all));
}

std::string ProofByHosts() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return "";  // an mpirun, which counts its ranks itself
  for (const HostCount& counts : kHostCounts) {
    if (IntIn(counts.hosts) == 1 && IntIn(counts.all).value_or(1) > 1 && IsOfLauncher(counts)) {
      return StrCat(counts.hosts, "=1");
    }
  }
  return "";
}

// Returns 0 if the process is not seen.
pid_t ParentOf(pid_t process) {
  const std::optional<ProcStat> stat = ReadProcStat(process);
  return stat ? stat->parent : 0;
}

// The nearest ancestor without a rank, which started this one; 0: it is not seen.
pid_t LauncherProcess() {
  const char* const variable = RankVariable();
  if (variable == nullptr) return 0;
  for (pid_t pid = ParentOf(::getpid()); pid > 0; pid = ParentOf(pid)) {
    const std::string environment = ReadProcFile(pid, "environ");
    if (environment.empty()) return 0;
    if (!ValueIn(environment, variable)) return pid;
  }
  return 0;
}

SharedWithLauncher IsSame(pid_t launcher, const char* own_path, const char* path_of_process) {
  struct stat own = {};
  struct stat theirs = {};
  if (::stat(own_path, &own) != 0) return SharedWithLauncher::kNo;
  if (launcher == 0 || ::stat(StrCat("/proc/", launcher, path_of_process).c_str(), &theirs) != 0) {
    return SharedWithLauncher::kNotSeen;
  }
  const bool is_same = own.st_dev == theirs.st_dev && own.st_ino == theirs.st_ino;
  return is_same ? SharedWithLauncher::kYes : SharedWithLauncher::kNo;
}

}  // namespace

std::string OneHostProof() {
  if (RanksAreThreads() || FindLauncher() == Launcher::kNone) return "";
  if (std::optional<std::string> proof = ProofByRanks()) return *std::move(proof);
  return ProofByHosts();
}

SharedMemory LookAtSharedMemory() {
  const pid_t launcher = LauncherProcess();
  return {IsSame(launcher, "/dev/shm", "/root/dev/shm"), IsSame(launcher, "/proc/self/ns/ipc", "/ns/ipc")};
}

}  // namespace dfrun::comm
