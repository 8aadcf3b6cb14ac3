#include "jobs/ranks/ranks.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "comm/bootstrap/launcher.h"
#include "comm/bootstrap/process_group.h"
#include "comm/bootstrap/stage_watch.h"
#include "jobs/command.h"
#include "jobs/ranks/rank_end.h"
#include "jobs/ranks/rank_stages.h"
#include "jobs/versions.h"
#include "src/base/host/host_limits.h"
#include "src/base/log.h"
#include "src/base/json/log_line.h"
#include "src/base/report_request.h"
#include "src/base/text.h"
#include "src/framework/device/graph_capture.h"
#include "src/session/grace_period_watchdog.h"
#include "src/session/worker.h"

namespace dfrun::jobs {
namespace {

constexpr int64_t kStallS = 60;

// Time that another rank gives rank 0 to end the job in order, since a signal may have reached one rank alone.
constexpr GracePeriodWatchdog::Seconds kRankZeroFirst(2);

// Returns null if signals are no requests to stop, or if rank 0 in the same process has a guard. The group and `end`
// must outlive the guard.
std::unique_ptr<GracePeriodWatchdog> MakeGuard(const comm::ProcessGroup& group, RankEnd& end,
                                               const RankOptions& options) {
  if (options.grace_s == 0 || (group.rank() != 0 && comm::RanksAreThreads())) return nullptr;
  GracePeriodWatchdog::Seconds grace(static_cast<double>(options.grace_s));
  if (group.rank() != 0) grace += kRankZeroFirst;
  return std::make_unique<GracePeriodWatchdog>(ProcessStop(), grace,
                                               [&end](const Status& overdue) { end.AbortAll(overdue); });
}

// Aborts all ranks after an error of the network: others may wait for this rank, or MPI for a lost one, so MPI cannot
// be left in order. `outcome`, if it is an error, says more than the network's.
void AbortIfNetworkFailed(RankEnd& end, const Runtime& runtime, const Status& outcome) {
  const Status network = runtime.network_status();
  if (!network.ok()) end.AbortAfterLoss(outcome.ok() ? network : outcome);
}

void SayDifferences(const comm::ProcessGroup& group) {
  if (group.rank() != 0) return;
  for (const std::string& difference : comm::FindDifferences(group.ranks())) {
    DF_LOG(kWarning) << difference << ": results may not be what they are where all ranks are alike";
  }
}

// Prints what the devices that capture steps have done in all steps.
void SayCounters(const Runtime& runtime) {
  for (const auto& device : runtime.devices()) {
    const CapturingDevice* const recording = CapturingDevice::Of(*device);
    if (recording == nullptr) continue;
    const CaptureCounters counters = recording->counters();
    DF_LOG(kInfo) << device->full_name() << ": " << counters.recordings << " recordings, " << counters.launches
                  << " launches, " << counters.updates << " updates, " << counters.stream_calls
                  << " calls of nodes that were enqueued one by one; " << counters.signaled_ends
                  << " ends that the work told, " << counters.asked_ends << " that it was asked for; "
                  << device->host_waits() << " waits of the host";
  }
}

// Before the ranks are joined, the launcher tells which one this is.
void BeginJsonLog() {
  LogAsJson();
  const char* const text = comm::RankText();
  if (text == nullptr || comm::RanksAreThreads()) return;
  if (const std::optional<int> rank = ParseAs<int>(text)) SetRankOfLog(*rank);
}

Result<std::unique_ptr<Runtime>> MakeRuntime(const RuntimeOptions& options, const std::string& transport,
                                             comm::ProcessGroup& group) {
  DF_ASSIGN(std::unique_ptr<Communicator> communicator, group.Connect(transport));
  return Runtime::Create(options, std::move(communicator));
}

RuntimeOptions OptionsOf(const RankOptions& options, const comm::ProcessGroup& group, RankEnd& end) {
  RuntimeOptions made;
  made.loop_programs = options.loop_programs;
  made.records = options.records;
  if (options.explain_gpu) made.explain = [](const std::string& line) { DF_LOG(kInfo) << line; };
  made.ranks_are_threads = comm::RanksAreThreads();
  for (const comm::RankInfo& info : group.ranks()) made.hosts.push_back(info.host);
  made.watch = end.heartbeat();
  made.stall_s = static_cast<double>(options.stall_s);
  made.on_stuck = [&end](const Status& stuck) { end.OnStuck(stuck); };
  return made;
}

// Leads or serves. Returns the exit code of this rank, whose error has been printed.
Result<int> Work(Runtime& runtime, const RankOptions& options, RankEnd& end, const RankRole& role) {
  const Status done = role(runtime);
  if (options.explain_gpu) SayCounters(runtime);
  AbortIfNetworkFailed(end, runtime, done);
  if (runtime.rank() != 0) return ExitCodeAfterStop(done.code());  // rank 0 prints the reason
  // Print the error before the others learn of it: they end with its exit code, and mpirun then ends this rank.
  if (!done.ok()) PrintError(done);
  const Status told = Shutdown(runtime, done);
  if (done.ok()) DF_TRY(told);
  return ExitCodeAfterStop(done.code());
}

}  // namespace

void DeclareRankOptions(Options& args, RankOptions& options) {
  args.Value("--threads", options.threads, "Kernel threads a rank; default: this rank's share of the cores")
      .Between(1, 1024);
  args.Value("--transport", options.transport,
             "What moves tensors between ranks (`dfrun info` lists them); default: mpi, where there are several");
  args.Value(
      "--mpi-abi", options.mpi_abi,
      "Which MPI to use where there are several: ompi, mpich, abi or smpi (`dfrun info` lists them); default: the "
      "launcher's");
  args.Value(
      "--collectives", options.collectives,
      "How AllReduce and its kin are done: lowered to sends and sums, or by participants, a node of each device; "
      "default: auto");
  args.Value(
      "--heartbeat", options.heartbeat,
      "Seconds between two heartbeats and, after a comma, of silence until a rank is dead; or off; default: 1,5");
  args.Seconds("--start-timeout", options.start_timeout_s,
               "Time for all ranks to start; 0: they are waited for without end; default: 300")
      .Between(0, 86'400);
  args.Flag("--explain-gpu", options.explain_gpu,
            "Say what of a step is launched on a GPU as a whole, and why other nodes are not");
  args.Flag("--no-gpu-graphs{false}", options.records, "Enqueue the nodes of GPUs one by one in every step");
}

void DeclareLogJson(Options& args, RankOptions& options) {
  args.Flag("--log-json", options.log_json,
            "Write each line that is said as a JSON object, for programs that collect logs");
}

void DeclareStall(Options& args, RankOptions& options) {
  options.stall_s = kStallS;
  args.Seconds("--stall", options.stall_s,
               "Time without the end of a step until it is said what all ranks wait for; 0: never; default: 60")
      .Between(0, 86'400);
}

Result<int> RunMasterOrWorker(const RankOptions& options, const RankRole& lead) {
  return RunMasterOrWorker(options, lead, [](Runtime& runtime) { return Worker(runtime).Serve(); });
}

Result<int> RunMasterOrWorker(const RankOptions& options, const RankRole& lead, const RankRole& serve) {
  if (options.log_json) BeginJsonLog();
  DF_ASSIGN(const CollectivesOption collectives, ParseCollectivesOption(options.collectives));
  DF_ASSIGN(const comm::WatchTimes watch_times, comm::ParseHeartbeat(options.heartbeat));
  if (!watch_times.minds_silence) comm::StageWatch::OfProcess().Stop();
  RankStages stages(options.start_timeout_s);
  if (options.grace_s > 0) CatchStopSignals();
  CatchReportSignal();
  const int cores = LimitsOfHost().cores;
  DF_ASSIGN(const std::unique_ptr<comm::ProcessGroup> group,
            comm::ProcessGroup::Join(
                {.threads = options.threads > 0 ? options.threads : cores, .mpi_abi = options.mpi_abi}, OwnFacts()));
  if (group->size() > 1 && !comm::RanksAreThreads()) TagLog(group->rank());
  if (!comm::RanksAreThreads()) SetRankOfLog(group->rank());
  SayDifferences(*group);
  RankEnd end(*group);
  DF_TRY(end.StartHeartbeat(watch_times));
  const std::unique_ptr<GracePeriodWatchdog> guard = MakeGuard(*group, end, options);
  RuntimeOptions runtime_options = OptionsOf(options, *group, end);
  runtime_options.threads = options.threads > 0 ? options.threads : std::max(1, cores / group->ranks_on_host());
  runtime_options.collectives = collectives;
  runtime_options.stop = guard.get();
  const Result<std::unique_ptr<Runtime>> runtime = MakeRuntime(runtime_options, options.transport, *group);
  if (!runtime.ok() && group->size() > 1) end.AbortAll(runtime.status());
  DF_TRY(runtime.status());
  stages.Started();
  DF_ASSIGN(const int code, Work(**runtime, options, end, group->rank() == 0 ? lead : serve));
  stages.Ending(code, group->bootstrap());
  return code;
}

}  // namespace dfrun::jobs
