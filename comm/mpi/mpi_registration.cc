// Registers the transport over MPI.
#include <mpi.h>

#include "comm/bootstrap/transport_registry.h"
#include "comm/mpi/mpi_transport.h"

namespace dfrun::comm {
namespace {

// Returns the first words of the library's version text, "Open MPI v4.1.4".
std::string Version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

Status CanConnect(const Bootstrap&) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  return initialized != 0 ? Status() : FailedPrecondition("no MPI launcher started this process");
}

Result<std::vector<std::unique_ptr<Transport>>> Connect(Bootstrap&, int count) {
  std::vector<std::unique_ptr<Transport>> transports;
  for (int i = 0; i < count; ++i) {
    DF_ASSIGN(std::unique_ptr<MpiTransport> transport, MpiTransport::Create(MPI_COMM_WORLD));
    transports.push_back(std::move(transport));
  }
  return transports;
}

TRANSPORT("mpi", {.priority = 10, .describe = &Version, .can_connect = &CanConnect, .connect = &Connect});

}  // namespace
}  // namespace dfrun::comm
