// `dfrun bench dispatch`: the cost of running a node, without its kernel.
//
// Every figure is taken in alternation with its limit, and is the median of the rounds.
#include <memory>
#include <mutex>
#include <thread>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_dispatch_graphs.h"
#include "jobs/timing.h"
#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/framework/device/device_factory.h"

namespace dfrun::jobs {
namespace {

struct DispatchOptions {
  int32_t nodes = 100'000;
  int rounds = 21;
};

constexpr int32_t kLayerWidth = 100;
constexpr int kEmptySteps = 10'000;
constexpr int32_t kSpinNodes = 5'000;

// Ops whose kernels cost about the same, so that the difference is how well the branch predictor knows the target of a
// call.
const std::vector<std::string>& MixedOps() {
  static const std::vector<std::string>& ops =
      *new std::vector<std::string>{"AddV2", "Sub", "Maximum", "Neg", "Mul", "Minimum", "SquaredDifference", "Abs"};
  return ops;
}

// Figures per core are per second of processor time, of all threads together.
constexpr clockid_t kCpuTime = CLOCK_PROCESS_CPUTIME_ID;
constexpr clockid_t kWallTime = CLOCK_MONOTONIC;

class DispatchBench {
 public:
  explicit DispatchBench(const DispatchOptions& options) : options_(options) {}

  Result<BenchOutcome> Run() {
    DF_ASSIGN(devices_, MakeDevices(*DeviceName::Parse("/job:worker/task:0")));
    DF_TRY(MeasureEmptyStep());
    for (int threads : {1, 2}) {
      WorkerPool pool(threads);
      for (const Topology& t : {Chain(options_.nodes), FanOut(options_.nodes), Layers(options_.nodes, kLayerWidth)}) {
        DF_ASSIGN(const Graph noop, NoOpGraph(t));
        DF_TRY(MeasureNodes("noop", noop, t, /*adds=*/false, pool));
        DF_ASSIGN(const Graph add, ScalarGraph(t, {"AddV2"}));
        DF_TRY(MeasureNodes("add", add, t, /*adds=*/true, pool));
        DF_ASSIGN(const Graph mixed, ScalarGraph(t, MixedOps()));
        DF_TRY(MeasureNodes("mixed", mixed, t, /*adds=*/true, pool));
      }
    }
    DF_TRY(MeasureTwoThreads());
    return BenchOutcome{std::move(figures_)};
  }

 private:
  Result<std::unique_ptr<ExecPlan>> Plan(const Graph& graph, const KernelRegistry& kernels) {
    return BuildPlan(graph, *devices_[0], kernels);
  }
  // Runs a step and keeps the first error, so that a timed body consists of steps alone.
  void Step(ExecPlan& plan, WorkerPool& pool) {
    Status status = RunPlan(plan, pool, {.feeds = {}, .fetches = {}, .step = {}});
    if (status_.ok()) status_ = std::move(status);
  }

  Status MeasureEmptyStep() {
    DF_ASSIGN(const auto plan, Plan(Graph(), KernelRegistry::Builtin()));
    WorkerPool pool(1);
    std::mutex mu;
    const auto steps = [&] {
      for (int i = 0; i < kEmptySteps; ++i) Step(*plan, pool);
    };
    const auto locks = [&] {
      for (int i = 0; i < kEmptySteps; ++i) std::lock_guard<std::mutex> lock(mu);
    };
    const TurnTimes pair = TurnAbout(kCpuTime, options_.rounds, steps, locks);
    figures_.push_back({"dispatch/empty_step", pair.value_s / kEmptySteps * 1e6, "us", pair.limit_s / kEmptySteps * 1e6,
                        "a lock and unlock"});
    return status_;
  }

  Status MeasureNodes(const std::string& kind, const Graph& graph, const Topology& t, bool adds, WorkerPool& pool) {
    DF_ASSIGN(const auto plan, Plan(graph, KernelRegistry::Builtin()));
    BareLoop bare(t);
    const TurnTimes pair = TurnAbout(
        kCpuTime, options_.rounds, [&] { Step(*plan, pool); }, [&] { DF_CHECK(bare.Run(adds) == t.num_nodes); });
    const double mops = t.num_nodes * 1e-6;
    figures_.push_back({StrCat("dispatch/", kind, "/", t.name, "/", pool.num_threads(), "t"), mops / pair.value_s,
                        "Mops/s", mops / pair.limit_s, adds ? "bare loop that adds, a core" : "bare loop, a core"});
    return status_;
  }

  // Measures how much faster two threads are than one on kernels of a microsecond, beside two bare threads.
  Status MeasureTwoThreads() {
    DF_ASSIGN(const Graph graph, SpinGraph(Layers(kSpinNodes, kLayerWidth)));
    DF_ASSIGN(const auto plan, Plan(graph, SpinKernels()));
    WorkerPool one(1);
    WorkerPool two(2);
    const TurnTimes steps = TurnAbout(
        kWallTime, options_.rounds, [&] { Step(*plan, one); }, [&] { Step(*plan, two); });
    const auto spin = [](int32_t nodes) {
      volatile float value = 0;
      for (int32_t i = 0; i < nodes; ++i) value = Spin(value);
    };
    const TurnTimes bare = TurnAbout(
        kWallTime, options_.rounds, [&] { spin(kSpinNodes); },
        [&] {
          std::thread other(spin, kSpinNodes / 2);
          spin(kSpinNodes / 2);
          other.join();
        });
    figures_.push_back({"dispatch/spin/one_thread", steps.value_s / kSpinNodes * 1e6, "us",
                        bare.value_s / kSpinNodes * 1e6, "the kernel's arithmetic"});
    figures_.push_back({"dispatch/spin/speedup_of_2t", steps.value_s / steps.limit_s, "x", bare.value_s / bare.limit_s,
                        "two bare threads"});
    return status_;
  }

  const DispatchOptions options_;
  DeviceList devices_;
  std::vector<BenchFigure> figures_;
  Status status_;
};

BENCH("dispatch", "Nodes a second on one core and two, and the cost of an empty step.",
      "dfrun bench dispatch --json dispatch.json", [](Options& args) -> RunBench {
        auto options = std::make_shared<DispatchOptions>();
        args.Value("--nodes", options->nodes, "Nodes of each graph").Between(1000, 10'000'000);
        args.Value("--rounds", options->rounds, "Rounds, of which the median counts").Between(1, 10'000);
        return [options] { return DispatchBench(*options).Run(); };
      });

}  // namespace
}  // namespace dfrun::jobs
