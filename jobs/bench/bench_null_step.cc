// `dfrun bench null-step`: the cost of a step with one node on each rank that does nothing. The limit is the least that
// a step over these ranks can be: a broadcast and a gather of 8 bytes over the bare network. A figure is the median, or
// the 99th percentile, of all steps of all rounds.
#include <ctime>
#include <memory>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_turns.h"
#include "jobs/ranks/ranks.h"
#include "jobs/timing.h"
#include "src/base/median.h"

namespace dfrun::jobs {
namespace {

struct NullStepOptions {
  int rounds = 9;
  int steps = 300;
  int threads = 1;
};

Result<Graph> NullGraph(int ranks) {
  Graph graph;
  for (int rank = 0; rank < ranks; ++rank) {
    DF_TRY(AddNodeOn(graph, rank, StrCat("nothing_on_", rank), "NoOp", {}).status());
  }
  return graph;
}

// Times a broadcast and a gather on rank 0; other ranks drop the times.
void BareSteps(comm::RawNetwork& network, int ranks, int steps, std::vector<double>& seconds) {
  int64_t request = 0;
  std::vector<int64_t> answers(static_cast<size_t>(ranks));
  network.Barrier();
  for (int i = 0; i < steps; ++i) {
    seconds.push_back(Seconds(CLOCK_MONOTONIC, [&] {
      network.Broadcast(&request, sizeof request, 0);
      network.Gather(&request, sizeof request, answers.data(), 0);
    }));
  }
}

class NullStepBench {
 public:
  NullStepBench(Runtime& runtime, const NullStepOptions& options) : runtime_(runtime), options_(options) {}

  Status Measure(std::vector<BenchFigure>& figures) {
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    DF_ASSIGN(Graph graph, NullGraph(runtime_.size()));
    RunSignature signature;
    for (NodeId id = 0; id < graph.num_nodes(); ++id) signature.targets.push_back(id);
    SessionOptions session_options;
    session_options.optimize = false;
    DF_ASSIGN(const std::unique_ptr<Session> session, Session::Create(runtime_, std::move(graph), session_options));
    DF_ASSIGN(const Session::Handle step, session->Prepare(signature));
    std::vector<double> own_s;
    std::vector<double> bare_s;
    const auto own = [&]() -> Status {
      for (int i = 0; i < options_.steps; ++i) {
        Status status;
        own_s.push_back(Seconds(CLOCK_MONOTONIC, [&] { status = session->RunStep(step, {}, {}); }));
        DF_TRY(status);
      }
      return Status();
    };
    DF_TRY(turns->Lead(*session, options_.rounds, own, [&](comm::RawNetwork& network) {
      BareSteps(network, runtime_.size(), options_.steps, bare_s);
    }));
    const std::string what = turns->bare_name() + ", a broadcast and a gather";
    const std::string name = StrCat("null_step/", runtime_.size(), "_ranks/");
    figures.push_back({name + "median", Median(own_s) * 1e6, "us", Median(bare_s) * 1e6, what});
    figures.push_back({name + "p99", Percentile99(own_s) * 1e6, "us", Percentile99(bare_s) * 1e6, what});
    return Status();
  }

  Status Answer() {
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    return turns->Follow(options_.rounds, [&](comm::RawNetwork& network) {
      std::vector<double> dropped;
      BareSteps(network, runtime_.size(), options_.steps, dropped);
    });
  }

 private:
  Runtime& runtime_;
  const NullStepOptions& options_;
};

BENCH("null-step", "What a step without work costs on all ranks, beside a bare broadcast and gather.",
      "mpirun -np 4 dfrun bench null-step", [](Options& args) -> RunBench {
        auto options = std::make_shared<NullStepOptions>();
        args.Value("--rounds", options->rounds, "Rounds that steps are measured in").AtLeast(1);
        args.Value("--steps", options->steps, "Steps a round").AtLeast(1);
        args.Value("--threads", options->threads, "Kernel threads a rank").AtLeast(1);
        return [options] { return RunOnRanks<NullStepBench>({.threads = options->threads}, *options); };
      });

}  // namespace
}  // namespace dfrun::jobs
