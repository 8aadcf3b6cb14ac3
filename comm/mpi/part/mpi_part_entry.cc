// The entry of this shared library, which the program looks up.
#include <mpi.h>

#include <utility>

#include "comm/mpi/mpi_part.h"
#include "comm/mpi/part/mpi_bootstrap.h"
#include "comm/mpi/part/mpi_transport.h"
#include "comm/mpi/part/raw_mpi.h"

namespace dfrun::comm {
namespace {

Result<std::vector<std::unique_ptr<Transport>>> Connect(int count) {
  std::vector<std::unique_ptr<Transport>> transports;
  for (int i = 0; i < count; ++i) {
    DF_ASSIGN(std::unique_ptr<MpiTransport> transport, MpiTransport::Create(MPI_COMM_WORLD));
    transports.push_back(std::move(transport));
  }
  return transports;
}

constexpr MpiPart kPart = {.start = &StartMpi, .connect = &Connect, .bare = &NewRawMpi};

}  // namespace
}  // namespace dfrun::comm

extern "C" __attribute__((visibility("default"))) const dfrun::comm::MpiPart* dfrun_mpi_part() {
  return &dfrun::comm::kPart;
}
