// Runs graphs by plans, as a session does: control flow and all.
#ifndef DFRUN_TESTS_UNIT_TESTING_STEP_RUNNER_H_
#define DFRUN_TESTS_UNIT_TESTING_STEP_RUNNER_H_

#include <memory>
#include <string>
#include <vector>

#include "src/executor/executor.h"
#include "src/passes/pipeline.h"
#include "src/passes/prune.h"
#include "tests/unit/testing/graph_evaluator.h"

namespace dfrun::testing {

// One plan that gives some values of a graph; each Run() is a step.
class StepRunner {
 public:
  struct Options {
    int threads = 1;
    bool optimize = false;
    bool straight_loops = true;
  };

  StepRunner() : StepRunner(Options()) {}
  explicit StepRunner(Options options) : options_(options), pool_(options.threads) {}

  Status Prepare(const Graph& graph, const std::vector<Output>& fetches, const std::vector<Output>& feeds = {}) {
    num_fetches_ = fetches.size();
    RunSignature signature;
    signature.fetches = fetches;
    signature.feeds = feeds;
    DF_ASSIGN(Graph pruned, PruneForRun(graph, signature));
    if (options_.optimize) {
      DF_TRY(OptimizeGraph(pruned, {.kernels = KernelRegistry::Builtin(), .device = device_}));
    }
    DF_ASSIGN(plan_, ExecPlan::Create(pruned, device_, KernelRegistry::Builtin(),
                                      {.straight_loops = options_.straight_loops}));
    return Status();
  }

  Result<std::vector<Tensor>> Run(const std::vector<Tensor>& feeds = {}) {
    std::vector<Tensor> fetches(num_fetches_);
    ResourceContainers containers;
    DF_TRY(RunPlan(*plan_, pool_, {.feeds = feeds, .fetches = fetches, .step = {.step_containers = &containers}}));
    return fetches;
  }

 private:
  const Options options_;
  PlainDevice device_;
  WorkerPool pool_;
  std::unique_ptr<ExecPlan> plan_;
  size_t num_fetches_ = 0;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_STEP_RUNNER_H_
