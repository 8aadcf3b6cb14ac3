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

// How many ranks this process's launcher says that it started; 1 where it does not say. Without a launcher that is
// known, what srun says of its tasks.
int RanksStarted();

// The launcher's ranks are threads of one process, of which one runs until it calls MPI. What a process has once, such as
// handlers of signals, they share.
bool RanksAreThreads();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_LAUNCHER_H_
