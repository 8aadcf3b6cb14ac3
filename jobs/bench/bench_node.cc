// `dfrun bench node`: the speeds of families of nodes on this machine, in a file from which times are predicted
// (src/costs); or, with --run, the measured costs of the nodes of a run.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_dispatch_graphs.h"
#include "jobs/bench/node_cases.h"
#include "jobs/bench/node_times.h"
#include "jobs/trace_costs.h"
#include "jobs/cost_file.h"
#include "jobs/output_file.h"
#include "jobs/text_table.h"
#include "jobs/timing.h"
#include "src/base/median.h"
#include "src/base/terminal.h"
#include "src/costs/cost_table.h"
#include "src/costs/fit_speed.h"
#include "src/executor/build_plan.h"
#include "src/framework/device/device_factory.h"

namespace dfrun::jobs {
namespace {

struct NodeOptions {
  int64_t seconds = 60;
  int threads = 0;
  OutputFile costs{"--cost-file", ""};
  std::string run;
};

// Parts of the time: nodes get what the executor and the fits leave.
constexpr double kExecutorPart = 0.05;
constexpr double kFitPart = 0.1;
constexpr double kSizeTurnSeconds = 0.05;  // turn of one size, until that of the next
constexpr int kStepsOfSizeTurn = 100;
constexpr int kFirstSteps = 4;
constexpr double kReserve = 4;  // times as long as expected: other processes may slow the next size down
constexpr double kGrowth = 5;   // how much longer than the step of a size that of the next may take
constexpr int32_t kExecutorNodes = 20'000;
constexpr int kManyInputs = 9;
constexpr double kMinSeconds = 1e-10;  // a positive number that is no time

class NodeBench {
 public:
  NodeBench(const NodeOptions& options, CostTable& table)
      : start_(Now(CLOCK_MONOTONIC)),
        seconds_(static_cast<double>(options.seconds)),
        pool_(options.threads),
        table_(table) {}

  // Fills the table; returns how far the predictions are off.
  Result<std::vector<BenchFigure>> Run() {
    table_.threads = pool_.num_threads();
    DF_ASSIGN(devices_, MakeDevices(*DeviceName::Parse("/job:worker/task:0")));
    DF_TRY(MeasureExecutor());
    std::vector<Device*> of_types;
    for (const auto& device : devices_) {
      const bool is_known = std::any_of(of_types.begin(), of_types.end(),
                                        [&](const Device* other) { return other->type() == device->type(); });
      if (!is_known) of_types.push_back(device.get());
    }
    for (size_t i = 0; i < of_types.size(); ++i) {
      const double left_s = End() - Now(CLOCK_MONOTONIC);
      DF_TRY(MeasureDevice(*of_types[i], Now(CLOCK_MONOTONIC) + left_s / static_cast<double>(of_types.size() - i)));
    }
    WriteText(stdout, TextTable(rows_));
    const ExecutorSpeed executor = table_.Executor();
    WriteText(stdout, fmt::format("executor: {:.1f} ns a node, {:.1f} ns an edge; {} threads of kernels\n",
                                  executor.node_s * 1e9, executor.edge_s * 1e9, table_.threads));
    return std::move(figures_);
  }

 private:
  // When the last step must have ended.
  double End() const { return start_ + seconds_ * (1 - kFitPart); }

  // The least seconds of a node of this topology.
  Result<double> NodeSeconds(const Topology& topology, double end) {
    DF_ASSIGN(const Graph graph, NoOpGraph(topology));
    DF_ASSIGN(const auto plan, BuildPlan(graph, *devices_[0], KernelRegistry::Builtin()));
    WorkerPool one(1);
    std::vector<double> seconds;
    do {
      Status status;
      seconds.push_back(dfrun::jobs::Seconds(
          CLOCK_MONOTONIC, [&] { status = RunPlan(*plan, one, {.feeds = {}, .fetches = {}, .step = {}}); }));
      DF_TRY(status);
    } while (seconds.size() < 3 || Now(CLOCK_MONOTONIC) < end);
    return Median(seconds) / topology.num_nodes;
  }

  // Every node of the one graph has one edge, and of the other many: the difference is that of the edges.
  Status MeasureExecutor() {
    Topology many{.name = "many", .num_nodes = kExecutorNodes, .inputs = {}, .inputs_per_node = kManyInputs};
    for (int32_t i = 0; i < kExecutorNodes; ++i) {
      for (int32_t k = 1; k <= kManyInputs; ++k) many.inputs.push_back(i - k < 0 ? -1 : i - k);
    }
    const double part_s = seconds_ * kExecutorPart / 2;
    DF_ASSIGN(const double of_one, NodeSeconds(Chain(kExecutorNodes), start_ + part_s));
    DF_ASSIGN(const double of_many, NodeSeconds(many, start_ + 2 * part_s));
    const double edge_s = std::max((of_many - of_one) / (kManyInputs - 1), kMinSeconds);
    table_.SetExecutor({std::max(of_one - edge_s, kMinSeconds), edge_s});
    return Status();
  }

  // Runs the sizes in turn until the time is over, each at first three times; larger ones that do not fit into the time
  // are left out.
  Status MeasureDevice(Device& device, double end) {
    std::vector<std::unique_ptr<NodeTimes>> sizes;
    double expected_s = 0;
    for (int level = 0; level < kNodeLevels; ++level) {
      const double before = Now(CLOCK_MONOTONIC);
      if (!sizes.empty() && kReserve * expected_s > end - before) break;
      DF_ASSIGN(Graph graph, NodeCaseGraph(device, KernelRegistry::Builtin(), level));
      DF_ASSIGN(auto times, NodeTimes::Create(std::move(graph), device));
      for (int step = 0; step < kFirstSteps && (step < 2 || Now(CLOCK_MONOTONIC) < end); ++step) {
        DF_TRY(times->Run(pool_));
      }
      sizes.push_back(std::move(times));
      expected_s = kGrowth * (Now(CLOCK_MONOTONIC) - before);
    }
    bool runs = true;
    while (runs) {
      runs = false;
      for (const auto& size : sizes) {
        DF_ASSIGN(const bool ran, Turn(*size, end));
        runs = runs || ran;
      }
    }
    std::map<OpFamily, std::vector<CostPoint>> points;
    for (const auto& size : sizes) size->AddPoints(kCasePrefix, points);
    Fit(std::string(device.type()), points);
    return Status();
  }

  // Whether a step fitted into the time.
  Result<bool> Turn(NodeTimes& size, double end) {
    const double turn_end = Now(CLOCK_MONOTONIC) + kSizeTurnSeconds;
    bool ran = false;
    for (int step = 0; step < kStepsOfSizeTurn; ++step) {
      const double now = Now(CLOCK_MONOTONIC);
      if (now + 2 * size.step_s() > end || (ran && now > turn_end)) break;
      DF_TRY(size.Run(pool_));
      ran = true;
    }
    return ran;
  }

  void Fit(const std::string& type, const std::map<OpFamily, std::vector<CostPoint>>& points) {
    for (const auto& [family, of_family] : points) {
      const SpeedFit fit = FitSpeed(of_family, CostTable().Node(type, family));
      table_.SetNode(type, family, fit.speed);
      rows_.push_back({type, std::string(FamilyName(family)), fmt::format("{:.3f} us", fit.speed.overhead_s * 1e6),
                       fmt::format("{:.2f} G/s", fit.speed.flops_per_s * 1e-9),
                       fmt::format("{:.2f} GB/s", fit.speed.bytes_per_s * 1e-9),
                       fmt::format("{:.0f} %", fit.median_error * 100), StrCat(of_family.size())});
      figures_.push_back({StrCat("node/", type, "/", FamilyName(family), "/median_error"), fit.median_error, "",
                          /*limit=*/1, "the measured time"});
    }
  }

  const double start_;
  const double seconds_;
  WorkerPool pool_;
  CostTable& table_;
  DeviceList devices_;
  std::vector<BenchFigure> figures_;
  std::vector<std::vector<std::string>> rows_ = {
      {"device", "family", "overhead", "operations", "bandwidth", "median error", "nodes"}};
};

Result<BenchOutcome> RunNodeBench(const NodeOptions& options) {
  DF_ASSIGN(CostTable table, BeginCostFile(options.costs, WorkerPool(options.threads).num_threads()));
  BenchOutcome outcome;
  if (!options.run.empty()) {
    DF_ASSIGN(const std::string added, AddTraceCosts(options.run, table));
    WriteText(stdout, added);
  } else {
    DF_ASSIGN(outcome.figures, NodeBench(options, table).Run());
  }
  if (!options.costs.path.empty()) DF_TRY(options.costs.WriteText(table.Print()));
  return outcome;
}

BENCH("node", "Speeds of families of nodes, for predictions of times; or measured costs from a run's trace.",
      "dfrun bench node --cost-file costs.json", [](Options& args) -> RunBench {
        auto options = std::make_shared<NodeOptions>();
        args.Seconds("--seconds", options->seconds, "How long it measures; default: 60").Between(1, 86400);
        args.Value("--threads", options->threads, "Kernel threads; default: one for each core of this process")
            .Between(1, 1024);
        args.Value("--cost-file", options->costs.path,
                   "The file of costs that it writes; what else is in the file stays there");
        args.Value(
            "--run", options->run,
            "Only add the times of the nodes in this run's trace, of a run with as many threads as the file says");
        return [options] { return RunNodeBench(*options); };
      });

}  // namespace
}  // namespace dfrun::jobs
