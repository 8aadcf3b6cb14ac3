// Registers the bootstrap and the transport over MPI. Initialising MPI costs tenths of a second, so a process without a
// launcher does not do it.
#include "comm/bootstrap/one_host.h"
#include "comm/bootstrap/rank_exit.h"
#include "comm/bootstrap/transport_registry.h"
#include "comm/mpi/mpi_part.h"
#include "comm/mpi/mpi_settings.h"
#include "comm/mpi/pmi_environment.h"

namespace dfrun::comm {
namespace {

// Said before MPI starts, which ends the process where it reaches no other.
void SayIfApart(const std::string& remedy) {
  const SharedMemory memory = LookAtSharedMemory();
  const std::string_view rank = RankText();
  if (memory.files == SharedWithLauncher::kNo || memory.segments == SharedWithLauncher::kNo) {
    SayAsRank(rank, StrCat("warning: its /dev/shm or IPC namespace is not that of its launcher: ", remedy));
  } else if (memory.files == SharedWithLauncher::kNotSeen && rank == "0") {
    SayAsRank(rank, StrCat("its launcher is not seen from here, as in a container of its own: ", remedy));
  }
}

Result<std::unique_ptr<Bootstrap>> Start(const BootstrapOptions& options) {
  DF_TRY(CheckPmiEnvironment());
  DF_ASSIGN(const OpenedMpi* const mpi, OpenMpiPart(options.mpi_abi, FindLauncher()));
  const MpiSettings settings = ChooseMpiSettings(mpi->version, mpi->library);
  if (!settings.remedy.empty()) SayIfApart(settings.remedy);
  if (!settings.notice.empty() && std::string_view(RankText()) == "0") {
    SayAsRank("0", StrCat("warning: ", settings.notice));
  }
  const VariablesSet set(settings.variables);
  return mpi->part->start(options.threads, settings.remedy);
}

std::string Describe() {
  return "the launcher's MPI";
}

Status CanConnect(const Bootstrap&) {
  return OpenedMpiPart() != nullptr ? Status() : FailedPrecondition("no MPI launcher started this process");
}

BOOTSTRAP(
    "mpi", [](Launcher launcher) { return launcher != Launcher::kNone; }, &Start);

TRANSPORT("mpi",
          {.priority = 10, .describe = &Describe, .can_connect = &CanConnect, .connect = [](Bootstrap&, int count) {
             return OpenedMpiPart()->part->connect(count);
           }});

RAW_NETWORK("mpi", []() -> std::unique_ptr<RawNetwork> {
  return OpenedMpiPart() == nullptr ? nullptr : OpenedMpiPart()->part->bare();
});

}  // namespace
}  // namespace dfrun::comm
