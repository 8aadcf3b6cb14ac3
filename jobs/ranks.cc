#include "jobs/ranks.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "comm/bootstrap/world.h"
#include "src/session/worker.h"

namespace dfrun::jobs {

namespace {

// After an error of the network MPI cannot be left in order, and other ranks may wait for ever.
void AbortIfNetworkFailed(const Runtime& runtime) {
  const Status network = runtime.communicator().network_status();
  if (network.ok()) return;
  std::fprintf(stderr, "dfrun: rank %d: %s\n", runtime.rank(), network.ToString().c_str());
  comm::World::Abort(ExitCode(network.code()));
}

}  // namespace

Result<int> LeadOrServe(const RankOptions& options, const std::function<Status(Runtime&)>& lead) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  DF_ASSIGN(const std::unique_ptr<comm::World> world, comm::World::Join(options.threads > 0 ? options.threads : cores));
  RuntimeOptions runtime_options;
  runtime_options.threads = options.threads > 0 ? options.threads : std::max(1, cores / world->ranks_on_host());
  DF_ASSIGN(std::unique_ptr<Communicator> communicator, world->Connect());
  Result<std::unique_ptr<Runtime>> runtime = Runtime::Create(runtime_options, std::move(communicator));
  DF_TRY(runtime.status());
  if (world->rank() != 0) {
    const Status served = Worker(**runtime).Serve();
    AbortIfNetworkFailed(**runtime);
    return ExitCode(served.code());  // the reason is rank 0's to print
  }
  const Status led = lead(**runtime);
  AbortIfNetworkFailed(**runtime);
  if (world->size() > 1) {
    const Status told = Shutdown(**runtime, led);
    if (led.ok()) DF_TRY(told);
  }
  DF_TRY(led);
  return 0;
}

}  // namespace dfrun::jobs
