#include "comm/bootstrap/bootstrap.h"

#include "comm/bootstrap/stage_watch.h"

namespace dfrun::comm {

Registry<BootstrapDef>& Bootstraps() {
  static Registry<BootstrapDef>& bootstraps = *new Registry<BootstrapDef>();
  return bootstraps;
}

namespace {

// Returns an error if the launcher started several tasks and this process is alone. That happens without any message if
// the ranks' MPI does not speak the launcher's interface: each rank is then a world of its own.
Status CheckKnowsTheOthers(const Bootstrap& bootstrap, Launcher launcher, const StartedTasks& tasks) {
  if (tasks.count <= 1 || bootstrap.size() > 1) return Status();
  if (!tasks.by.empty()) {
    return FailedPrecondition(
        tasks.by, " started ", tasks.is_all ? "" : "at least ", tasks.count, " tasks of this step (", tasks.variable,
        "), and this process is alone: it found nothing by which to join the others. Start it ", "with ", tasks.advice,
        ", or with mpirun within the job; where each is to be a job of ", "its own, unset ", tasks.variable);
  }
  return FailedPrecondition(LauncherName(launcher), " started ", tasks.count,
                            " ranks, and this process is alone: the MPI that it uses is not the launcher's. Leave out ",
                            "--mpi-abi, or start it with that MPI's own mpirun; `dfrun info` lists what was found");
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> StartBootstrap(const BootstrapOptions& options) {
  const StartStage stage("MPI_Init, to which every rank must come");
  const Launcher launcher = FindLauncher();
  const StartedTasks tasks = RanksStarted();  // read before an MPI that is alone changes the environment
  for (const auto& [name, def] : Bootstraps().all()) {
    if (!def.serves(launcher)) continue;
    DF_ASSIGN(std::unique_ptr<Bootstrap> bootstrap, def.start(options));
    DF_TRY(CheckKnowsTheOthers(*bootstrap, launcher, tasks));
    return bootstrap;
  }
  return FailedPrecondition("this build of dfrun cannot join the ranks that ", LauncherName(launcher), " started");
}

}  // namespace dfrun::comm
