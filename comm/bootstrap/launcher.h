// The launcher that started this process, found from the environment alone before any network is used.
#ifndef DFRUN_COMM_BOOTSTRAP_LAUNCHER_H_
#define DFRUN_COMM_BOOTSTRAP_LAUNCHER_H_

#include <cstdint>
#include <string_view>

namespace dfrun::comm {

enum class Launcher : uint8_t {
  kNone,     // a shell: the process is alone
  kOpenMpi,  // mpirun of Open MPI
  kPmix,     // a PMIx launcher: srun --mpi=pmix, mpirun of Open MPI 5
  kPmi,      // a PMI launcher: mpiexec of MPICH, srun --mpi=pmi2
  kSmpi      // smpirun of SimGrid: ranks are simulated, as threads of one process
};

Launcher FindLauncher();
// The launcher's name for messages: "none", "mpirun (Open MPI)", ...
std::string_view LauncherName(Launcher launcher);

// The tasks that one command started together, this process among them.
struct StartedTasks {
  int count = 1;
  bool is_all = true;         // false: `count` is a lower bound
  std::string_view by;        // starter of the tasks, "Slurm"; empty if the launcher's own variable tells it
  std::string_view variable;  // variable that tells it: one of the job step, never of the allocation
  std::string_view advice;    // how to start the tasks so that they find each other
};
// Returns how many ranks this process's launcher says that it started; 1 if it does not say. Without a launcher that
// tells it, the starter of the tasks is asked: srun, flux run, jsrun, mpiexec of PALS, mpirun_rsh of MVAPICH.
StartedTasks RanksStarted();

// Returns the name of the variable in which the launcher gives this process its rank: "PMI_RANK"; null without a
// launcher.
const char* RankVariable();
// Returns the value of that variable: "3"; null without a launcher.
const char* RankText();

// Returns whether the launcher's ranks are threads of one process, of which only one runs until it calls MPI. These
// ranks share what a process has once, such as signal handlers.
bool RanksAreThreads();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_LAUNCHER_H_
