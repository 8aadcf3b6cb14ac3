#include "tests/unit/testing/step_runner.h"

#include "src/passes/pass.h"
#include "src/passes/prune.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::testing {

StepRunner::StepRunner() : StepRunner(Options()) {}
StepRunner::StepRunner(Options options) : options_(options), pool_(options.threads) {}

Status StepRunner::Prepare(const Graph& graph, const std::vector<Output>& fetches, const std::vector<Output>& feeds) {
  num_fetches_ = fetches.size();
  RunSignature signature;
  signature.fetches = fetches;
  signature.feeds = feeds;
  DF_ASSIGN(Graph pruned, PruneForRun(graph, signature));
  if (options_.optimize) {
    DF_TRY(OptimizeForDevice(pruned, device_->type(), {.kernels = KernelRegistry::Builtin(), .host = HostDevice()}));
  }
  DF_ASSIGN(plan_,
            ExecPlan::Create(pruned, *device_, KernelRegistry::Builtin(), {.loop_programs = options_.loop_programs}));
  return Status();
}

Result<std::vector<Tensor>> StepRunner::Run(const std::vector<Tensor>& feeds) {
  std::vector<Tensor> fetches(num_fetches_);
  ResourceContainers containers;
  DF_TRY(RunPlan(*plan_, pool_, {.feeds = feeds, .fetches = fetches, .step = {.step_containers = &containers}}));
  return fetches;
}

}  // namespace dfrun::testing
