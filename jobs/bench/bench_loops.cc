// `dfrun bench loops`: the cost of an iteration of a loop, on one device and split over two ranks.
//
// A loop counts a scalar, once in the executor's general form and once as a straight line
// (src/executor/loop_program/loop_program.h). In the split loop rank 1 does the addition, so that in each iteration the
// condition and the count go to it and the sum comes back; its limit is a round trip of 8 bytes over bare MPI. Each
// figure is the median of the rounds, taken in alternation with its limit. For the split loop it is the least of many
// short rounds:
// two ranks wait for each other, and any process that takes one of their cores stops both for longer than a round.
#include <algorithm>
#include <limits>
#include <memory>

#include "comm/bootstrap/raw_network.h"
#include "jobs/bench/bench.h"
#include "jobs/ranks/ranks.h"
#include "jobs/timing.h"
#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/session/session.h"
#include "src/session/worker.h"

namespace dfrun::jobs {
namespace {

struct LoopOptions {
  int rounds = 9;
  int32_t iterations = 1'000'000;
  int split_rounds = 300;
  int32_t split_iterations = 500;
};

// A graph of the loop `while (i < limit) i = i + 1`, with the addition on rank `adds_on`.
class CountingLoop {
 public:
  static Result<Graph> Make(int32_t limit, int adds_on) {
    CountingLoop loop;
    DF_TRY(loop.Build(limit, adds_on));
    return std::move(loop.graph_);
  }

 private:
  Result<Output> Add(int rank, const std::string& name, const std::string& op, std::vector<Output> inputs,
                     AttrMap attrs = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    spec.device = StrCat("/job:worker/task:", rank);
    DF_ASSIGN(const NodeId id, graph_.AddNode(std::move(spec)));
    return Output{id, 0};
  }
  Result<Output> Entered(const std::string& name, int32_t value, bool is_constant) {
    DF_ASSIGN(const Output number, Add(0, StrCat(name, "_value"), "Const", {},
                                       {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(value)}}));
    return Add(0, name, "Enter", {number}, {{"frame_name", "loop"}, {"is_constant", is_constant}});
  }
  Status Build(int32_t limit, int adds_on) {
    DF_ASSIGN(const Output zero, Entered("zero", 0, false));
    DF_ASSIGN(const Output one, Entered("one", 1, true));
    DF_ASSIGN(const Output most, Entered("limit", limit, true));
    DF_ASSIGN(const Output i, Add(0, "i", "Merge", {zero, Output{}}, {{"T", DType::kInt32}, {"N", int64_t{2}}}));
    DF_ASSIGN(const Output less, Add(0, "less", "Less", {i, most}));
    DF_ASSIGN(const Output goes_on, Add(0, "goes_on", "LoopCond", {less}));
    DF_ASSIGN(const Output branch, Add(0, "branch", "Switch", {i, goes_on}));
    DF_ASSIGN(const Output sum, Add(adds_on, "sum", "AddV2", {{branch.node, 1}, one}));
    DF_ASSIGN(const Output next, Add(0, "next", "NextIteration", {sum}));
    DF_TRY(Add(0, "exit", "Exit", {branch}).status());
    DF_TRY(graph_.SetInput(i.node, 1, next));
    return graph_.InferShapes();
  }

  Graph graph_;
};

// Does what the loop does, without a graph.
void BareCount(int32_t limit) {
  volatile int32_t i = 0;
  while (i < limit) i = i + 1;
}

void BareRoundTrips(comm::RawNetwork& network, int rank, int trips) {
  int64_t value = 0;
  for (int i = 0; i < trips; ++i) {
    if (rank == 1) network.Recv(0, &value, sizeof value);
    network.Send(1 - rank, &value, sizeof value);
    if (rank == 0) network.Recv(1, &value, sizeof value);
  }
}

class LoopBench {
 public:
  LoopBench(Runtime& runtime, const LoopOptions& options) : runtime_(runtime), options_(options) {}

  // Measures the figures, on rank 0.
  Status Measure(std::vector<BenchFigure>& figures) {
    if (runtime_.size() > 2) {
      return Error(Code::kUsage, "bench loops runs on 1 or 2 ranks and has ", runtime_.size(),
                   ": mpirun -np 2 dfrun bench loops");
    }
    DF_TRY(runtime_.StartTask("worker", 0));
    for (const bool straight : {false, true}) {
      DF_ASSIGN(BenchFigure scalar, MeasureScalar(straight));
      figures.push_back(std::move(scalar));
    }
    if (runtime_.size() == 2) {
      DF_ASSIGN(BenchFigure split, MeasureSplit());
      figures.push_back(std::move(split));
    }
    return Status();
  }

  // Serves the loops on rank 1, and is the other end of the bare round trips.
  Status Answer() {
    Worker worker(runtime_);
    for (int round = 0; round < options_.split_rounds; ++round) {
      DF_TRY(worker.Serve());
      BareRoundTrips(*bare_, 1, options_.split_iterations);
    }
    DF_TRY(worker.Serve());
    return worker.Serve();
  }

 private:
  Result<std::unique_ptr<Session>> MakeSession(int32_t limit, int adds_on) {
    DF_ASSIGN(Graph graph, CountingLoop::Make(limit, adds_on));
    SessionOptions session_options;
    session_options.optimize = false;
    return Session::Create(runtime_, std::move(graph), session_options);
  }

  static Result<Session::Handle> PrepareExit(Session& session) {
    RunSignature signature;
    signature.targets = {session.graph().Find("exit")};
    return session.Prepare(signature);
  }

  Result<BenchFigure> MeasureScalar(bool straight) {
    DF_ASSIGN(const Graph graph, CountingLoop::Make(options_.iterations, 0));
    DF_ASSIGN(const auto plan, BuildPlan(graph, runtime_.cpu(), runtime_.kernels(), {.loop_programs = straight}));
    Status status;
    const TurnTimes times = TurnAbout(
        CLOCK_PROCESS_CPUTIME_ID, options_.rounds,
        [&] {
          if (status.ok()) status = RunPlan(*plan, runtime_.pool(), {.feeds = {}, .fetches = {}, .step = {}});
        },
        [&] { BareCount(options_.iterations); });
    DF_TRY(status);
    const double millions = options_.iterations * 1e-6;
    return BenchFigure{straight ? "loops/scalar_straight" : "loops/scalar_general", millions / times.value_s,
                       "M iterations/s", millions / times.limit_s, "a bare loop in memory"};
  }

  Result<BenchFigure> MeasureSplit() {
    DF_ASSIGN(const auto session, MakeSession(options_.split_iterations, 1));
    DF_ASSIGN(const Session::Handle step, PrepareExit(*session));
    double loop_s = std::numeric_limits<double>::infinity();
    double trips_s = loop_s;
    for (int round = 0; round < options_.split_rounds; ++round) {
      Status status;
      loop_s = std::min(loop_s, Seconds(CLOCK_MONOTONIC, [&] { status = session->RunSteps(step, 1); }));
      DF_TRY(status);
      DF_TRY(Shutdown(runtime_));
      trips_s =
          std::min(trips_s, Seconds(CLOCK_MONOTONIC, [&] { BareRoundTrips(*bare_, 0, options_.split_iterations); }));
    }
    DF_TRY(session->Close());
    DF_TRY(Shutdown(runtime_));
    const double to_us = 1e6 / options_.split_iterations;
    return BenchFigure{"loops/split_over_2_ranks", loop_s * to_us, "us an iteration", trips_s * to_us,
                       "round trip of bare MPI"};
  }

  Runtime& runtime_;
  const LoopOptions& options_;
  const std::unique_ptr<comm::RawNetwork> bare_ = comm::NewBare();  // null if there is one rank
};

Result<BenchOutcome> RunLoops(const LoopOptions& options) {
  BenchOutcome outcome;
  DF_ASSIGN(outcome.exit_code,
            RunMasterOrWorker(
                {.threads = 1}, [&](Runtime& runtime) { return LoopBench(runtime, options).Measure(outcome.figures); },
                [&](Runtime& runtime) { return LoopBench(runtime, options).Answer(); }));
  return outcome;
}

BENCH(
    "loops", "Iterations of a loop a second; under mpirun -np 2 also what one costs that is split over two ranks.",
    "mpirun -np 2 dfrun bench loops --json loops.json", [](Options& args) -> RunBench {
      auto options = std::make_shared<LoopOptions>();
      args.Value("--rounds", options->rounds, "Rounds that the median is taken of").AtLeast(1);
      args.Value("--iterations", options->iterations, "Of the loop on one device").AtLeast(1);
      args.Value("--split-rounds", options->split_rounds, "Rounds over two ranks, of which the best counts").AtLeast(1);
      args.Value("--split-iterations", options->split_iterations, "Of the loop over two ranks").AtLeast(1);
      return [options] { return RunLoops(*options); };
    });

}  // namespace
}  // namespace dfrun::jobs
