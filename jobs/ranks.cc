#include "jobs/ranks.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "comm/bootstrap/world.h"
#include "jobs/command.h"
#include "src/base/log.h"
#include "src/base/printable.h"
#include "src/session/stop_guard.h"
#include "src/session/worker.h"

namespace dfrun::jobs {
namespace {

// Ends every rank, where MPI cannot be left in order: others may wait for this one for ever.
[[noreturn]] void AbortAll(int rank, const Status& error) {
  std::fprintf(stderr, "dfrun: rank %d: %s\n", rank, PrintableText(error.ToString()).c_str());
  comm::World::Abort(ExitCode(error.code()));
}

// A signal may have reached one rank alone, which then gives rank 0 time to end the job by itself.
constexpr StopGuard::Seconds kRankZeroFirst(2);

// Null where signals are no requests.
std::unique_ptr<StopGuard> MakeGuard(int rank, const RankOptions& options) {
  if (options.grace_s == 0) return nullptr;
  StopGuard::Seconds grace(static_cast<double>(options.grace_s));
  if (rank != 0) grace += kRankZeroFirst;
  return std::make_unique<StopGuard>(ProcessStop(), grace, [rank](const Status& overdue) { AbortAll(rank, overdue); });
}

void AbortIfNetworkFailed(const Runtime& runtime) {
  const Status network = runtime.communicator().network_status();
  if (!network.ok()) AbortAll(runtime.rank(), network);
}

Result<std::unique_ptr<Runtime>> MakeRuntime(const RuntimeOptions& options, comm::World& world) {
  DF_ASSIGN(std::unique_ptr<Communicator> communicator, world.Connect());
  return Runtime::Create(options, std::move(communicator));
}

}  // namespace

Result<int> LeadOrServe(const RankOptions& options, const RankRole& lead) {
  return LeadOrServe(options, lead, [](Runtime& runtime) { return Worker(runtime).Serve(); });
}

Result<int> LeadOrServe(const RankOptions& options, const RankRole& lead, const RankRole& serve) {
  if (options.grace_s > 0) CatchStopSignals();
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  DF_ASSIGN(const std::unique_ptr<comm::World> world, comm::World::Join(options.threads > 0 ? options.threads : cores));
  if (world->size() > 1) TagLog(world->rank());
  const std::unique_ptr<StopGuard> guard = MakeGuard(world->rank(), options);
  RuntimeOptions runtime_options;
  runtime_options.threads = options.threads > 0 ? options.threads : std::max(1, cores / world->ranks_on_host());
  runtime_options.straight_loops = options.straight_loops;
  for (const comm::RankInfo& info : world->ranks()) runtime_options.hosts.push_back(info.host);
  runtime_options.stop = guard.get();
  const Result<std::unique_ptr<Runtime>> runtime = MakeRuntime(runtime_options, *world);
  if (!runtime.ok() && world->size() > 1) AbortAll(world->rank(), runtime.status());
  DF_TRY(runtime.status());
  if (world->rank() != 0) {
    const Status served = serve(**runtime);
    AbortIfNetworkFailed(**runtime);
    return ExitCode(served.code());  // the reason is rank 0's to print
  }
  const Status led = lead(**runtime);
  AbortIfNetworkFailed(**runtime);
  // Said before the others know: they end with the error's exit code, at which mpirun ends this rank.
  if (!led.ok()) PrintError(led);
  const Status told = Shutdown(**runtime, led);
  if (led.ok()) DF_TRY(told);
  return ExitCode(led.code());
}

}  // namespace dfrun::jobs
