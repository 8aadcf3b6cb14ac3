// Registers the bootstrap and the transport over MPI. A process without a launcher does not initialise MPI, which costs
// tenths of a second.
#include "comm/bootstrap/transport_registry.h"
#include "comm/mpi/mpi_part.h"
#include "comm/mpi/pmi_environment.h"

namespace dfrun::comm {
namespace {

Result<std::unique_ptr<Bootstrap>> Start(const BootstrapOptions& options) {
  DF_TRY(CheckPmiEnvironment());
  DF_ASSIGN(const MpiPart* const part, OpenMpiPart(options.mpi_abi, FindLauncher()));
  return part->start(options.threads);
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
             return OpenedMpiPart()->connect(count);
           }});

RAW_NETWORK("mpi", []() -> std::unique_ptr<RawNetwork> {
  return OpenedMpiPart() == nullptr ? nullptr : OpenedMpiPart()->bare();
});

}  // namespace
}  // namespace dfrun::comm
