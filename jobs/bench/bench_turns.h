// Alternating rounds of a session's steps and of calls of the bare network over the same ranks, in one run.
#ifndef DFRUN_JOBS_BENCH_BENCH_TURNS_H_
#define DFRUN_JOBS_BENCH_BENCH_TURNS_H_

#include <memory>

#include "comm/bootstrap/raw_network.h"
#include "jobs/bench/bench.h"
#include "jobs/ranks/ranks.h"
#include "src/base/threads.h"
#include "src/graph/graph.h"
#include "src/session/session.h"
#include "src/session/worker.h"

namespace dfrun::jobs {

// Runs the rounds of a benchmark. There is one per benchmark and rank. All ranks make the same calls with the same
// number of rounds and the same bare calls: rank 0 calls Lead(), the others Follow().
class BenchTurns {
 public:
  // Makes the object; collective. FailedPrecondition if no bare network can be used. The runtime must outlive it.
  static Result<std::unique_ptr<BenchTurns>> Make(Runtime& runtime);

  std::string bare_name() const { return std::string(bare_->name()); }
  // Runs `rounds` rounds of `own` and of `bare` in alternation. Called after the session has prepared its steps, which
  // the other ranks serve. Drops the session's variables and closes it.
  Status Lead(Session& session, int rounds, FunctionRef<Status()> own, FunctionRef<void(comm::RawNetwork&)> bare);
  // Serves what the session prepares, and then takes part in the rounds.
  Status Follow(int rounds, FunctionRef<void(comm::RawNetwork&)> bare);

 private:
  BenchTurns(Runtime& runtime, std::unique_ptr<comm::RawNetwork> bare)
      : runtime_(runtime), bare_(std::move(bare)), worker_(runtime) {}

  Runtime& runtime_;
  const std::unique_ptr<comm::RawNetwork> bare_;
  Worker worker_;
};

// Runs Ranked(runtime, options) on all ranks: rank 0 measures the figures, the others answer.
template <class Ranked, class BenchOptions>
Result<BenchOutcome> RunOnRanks(const RankOptions& ranks, const BenchOptions& options) {
  BenchOutcome outcome;
  DF_ASSIGN(outcome.exit_code,
            RunMasterOrWorker(
                ranks, [&](Runtime& runtime) { return Ranked(runtime, options).Measure(outcome.figures); },
                [&](Runtime& runtime) { return Ranked(runtime, options).Answer(); }));
  return outcome;
}

// Returns the device name of a rank's task: "/job:worker/task:1".
std::string TaskDevice(int rank);
// Adds a node to a benchmark's graph on the task's devices, and returns its first output.
Result<Output> AddNodeOn(Graph& graph, int rank, const std::string& name, const std::string& op,
                         const std::vector<Output>& inputs, AttrMap attrs = {});
// Adds a float variable of this shape, all 0, and a node `init` that initialises it.
Result<Output> AddZeros(Graph& graph, int rank, const std::string& name, const std::vector<int64_t>& dims,
                        const std::string& init);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_BENCH_TURNS_H_
