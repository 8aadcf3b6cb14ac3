// Steps in flight together, over the ranks of an mpirun. Run under it, with $TRANSPORT to name a transport: prints the
// first case that fails.
#include "tests/unit/testing/steps_in_flight.h"

#include "src/executor/step/worker_pool.h"
#include "tests/mpi/rank_main.h"

namespace dfrun {
namespace {

Status OnMaster(Runtime& runtime) {
  for (const testing::InFlightCase& in_flight : testing::InFlightCases()) {
    // Several threads of one rank may call MPI only where it was started for them.
    if (in_flight.from_threads && runtime.pool().num_threads() == 1) continue;
    const Status status = in_flight.run(runtime);
    if (!status.ok()) return status.Annotate(in_flight.name);
  }
  return Status();
}

}  // namespace
}  // namespace dfrun

int main() {
  return dfrun::testing::RankMain(&dfrun::OnMaster);
}
