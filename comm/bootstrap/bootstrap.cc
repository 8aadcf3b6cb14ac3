#include "comm/bootstrap/bootstrap.h"

namespace dfrun::comm {

Registry<BootstrapDef>& Bootstraps() {
  static Registry<BootstrapDef>& bootstraps = *new Registry<BootstrapDef>();
  return bootstraps;
}

namespace {

// A launcher whose interface the ranks' MPI does not speak starts each of them as a world of its own, without a word.
Status CheckKnowsTheOthers(const Bootstrap& bootstrap, Launcher launcher, int ranks) {
  if (ranks <= 1 || bootstrap.size() > 1) return Status();
  if (launcher == Launcher::kNone || launcher == Launcher::kPmix) {
    return FailedPrecondition(
        "Slurm started ", ranks,
        " tasks of this step, and this process is alone: it found nothing by which to join the ",
        "others. Start it with srun --mpi=pmix (srun --mpi=list says what there is), or with mpirun within the job; ",
        "where each is to be a job of its own, unset SLURM_STEP_NUM_TASKS");
  }
  return FailedPrecondition(LauncherName(launcher), " started ", ranks,
                            " ranks, and this process is alone: the MPI that it uses is not the launcher's. Leave out ",
                            "--mpi-abi, or start it with that MPI's own mpirun; `dfrun info` lists what was found");
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> StartBootstrap(const BootstrapOptions& options) {
  const Launcher launcher = FindLauncher();
  const int ranks = RanksStarted();  // before an MPI that is alone changes the environment
  for (const auto& [name, def] : Bootstraps().all()) {
    if (!def.serves(launcher)) continue;
    DF_ASSIGN(std::unique_ptr<Bootstrap> bootstrap, def.start(options));
    DF_TRY(CheckKnowsTheOthers(*bootstrap, launcher, ranks));
    return bootstrap;
  }
  return FailedPrecondition("this build of dfrun cannot join the ranks that ", LauncherName(launcher), " started");
}

}  // namespace dfrun::comm
