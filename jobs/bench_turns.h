// Steps of a session and calls of the bare network over the same ranks, measured turn about in one run.
#ifndef DFRUN_JOBS_BENCH_TURNS_H_
#define DFRUN_JOBS_BENCH_TURNS_H_

#include <memory>

#include "comm/bootstrap/bare_network.h"
#include "jobs/bench.h"
#include "jobs/ranks.h"
#include "src/base/threads.h"
#include "src/graph/graph.h"
#include "src/session/session.h"
#include "src/session/worker.h"

namespace dfrun::jobs {

// One for all turns of a benchmark, made on every rank: collective. All ranks call as many Lead() and Follow() with the
// same number of rounds and what is the same over the bare network, rank 0 the first and the others the second.
class BenchTurns {
 public:
  // FailedPrecondition where no bare network can be used. The runtime outlives it.
  static Result<std::unique_ptr<BenchTurns>> Make(Runtime& runtime);

  std::string bare_name() const { return std::string(bare_->name()); }
  // After the session has prepared its steps, which the others serve. Drops its variables and
  // closes it.
  Status Lead(Session& session, int rounds, FunctionRef<Status()> own, FunctionRef<void(comm::BareNetwork&)> bare);
  // Begins with serving what the session prepares.
  Status Follow(int rounds, FunctionRef<void(comm::BareNetwork&)> bare);

 private:
  BenchTurns(Runtime& runtime, std::unique_ptr<comm::BareNetwork> bare)
      : runtime_(runtime), bare_(std::move(bare)), worker_(runtime) {}

  Runtime& runtime_;
  const std::unique_ptr<comm::BareNetwork> bare_;
  Worker worker_;
};

// Runs Ranked(runtime, options) on all ranks: rank 0 measures figures, the others answer.
template <class Ranked, class BenchOptions>
Result<BenchOutcome> RunOnRanks(const RankOptions& ranks, const BenchOptions& options) {
  BenchOutcome outcome;
  DF_ASSIGN(outcome.exit_code,
            RunMasterOrWorker(
                ranks, [&](Runtime& runtime) { return Ranked(runtime, options).Measure(outcome.figures); },
                [&](Runtime& runtime) { return Ranked(runtime, options).Answer(); }));
  return outcome;
}

// "/job:worker/task:1", as benchmarks place nodes.
std::string TaskDevice(int rank);
// Adds a node to a benchmark's graph on the task's devices; its first output.
Result<Output> AddNodeOn(Graph& graph, int rank, const std::string& name, const std::string& op,
                         const std::vector<Output>& inputs, AttrMap attrs = {});
// A float variable of this shape, all 0, and the node `init` that initialises it.
Result<Output> AddZeros(Graph& graph, int rank, const std::string& name, const std::vector<int64_t>& dims,
                        const std::string& init);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_TURNS_H_
