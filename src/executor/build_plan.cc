#include "src/executor/build_plan.h"

#include <utility>

#include "src/executor/capture/captured_subgraph.h"
#include "src/executor/capture/subgraph_listing.h"
#include "src/executor/plan/memory_copies.h"
#include "src/executor/planning/plan_builder.h"

namespace dfrun {
namespace {

// The recorder gives all memory: no value has a place in the step's.
PlanOptions SubgraphOptions() {
  return {.max_arena_bytes = -1, .loop_programs = false, .records = false};
}

Status BuildWithSubgraphs(const Graph& partition, Device& device, const KernelRegistry& kernels,
                          const PlanOptions& options, ExecPlan& plan) {
  DF_ASSIGN(CapturePartition cut, PartitionForDevice(partition, device, kernels));
  if (options.explain) {
    for (const std::string& line : ListSubgraphs(partition, cut, device.full_name())) options.explain(line);
  }
  std::vector<std::unique_ptr<Kernel>> subgraphs;
  const PlanOptions subgraph_options = SubgraphOptions();
  for (SubgraphDraft& draft : cut.subgraphs) {
    auto subgraph_plan = std::make_unique<ExecPlan>();
    DF_TRY(PlanBuilder(draft.graph, device, kernels, subgraph_options, *subgraph_plan).Build());
    subgraphs.push_back(
        std::make_unique<CapturedSubgraph>(std::move(draft), std::move(subgraph_plan), options.explain));
  }
  return PlanBuilder(cut.graph, device, kernels, options, plan).WithSubgraphs(std::move(subgraphs)).Build();
}

}  // namespace

Result<std::unique_ptr<ExecPlan>> BuildPlan(const Graph& partition, Device& device, const KernelRegistry& kernels,
                                            const PlanOptions& options) {
  auto plan = std::make_unique<ExecPlan>();
  if (!device.has_own_memory()) {
    DF_TRY(PlanBuilder(partition, device, kernels, options, *plan).Build());
  } else if (options.records && CapturingDevice::Of(device) != nullptr) {
    DF_TRY(BuildWithSubgraphs(partition, device, kernels, options, *plan));
  } else {
    DF_ASSIGN(const Graph copying, WithMemoryCopies(partition, device, kernels));
    DF_TRY(PlanBuilder(copying, device, kernels, options, *plan).Build());
  }
  return plan;
}

}  // namespace dfrun
