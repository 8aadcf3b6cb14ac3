// Finds out which launcher started this process, from the environment alone, before any network is used.
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

// What says that this process is one of several tasks which one command started.
struct StartedTasks {
  int count = 1;
  bool is_all = true;         // else there are so many at least
  std::string_view by;        // "Slurm"; empty where the launcher's own variable tells it
  std::string_view variable;  // by which it is known: one of the step, never of the allocation
  std::string_view advice;    // how to start the tasks so that they find each other
};
// How many ranks this process's launcher says that it started; 1 where it does not say. Without a launcher that tells
// it, what the starter of the tasks says: srun, flux run, jsrun, mpiexec of PALS, mpirun_rsh of MVAPICH.
StartedTasks RanksStarted();

// The names of the variables in which launchers give a process its rank, the one that counts first.
const char* const* RankVariables();  // ends with null
// What the first of them says: "3"; null without a launcher.
const char* RankText();

// The launcher's ranks are threads of one process, of which one runs until it calls MPI. What a process has once, such
// as handlers of signals, they share.
bool RanksAreThreads();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_LAUNCHER_H_
