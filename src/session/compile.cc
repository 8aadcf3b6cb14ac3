#include "src/session/compile.h"

#include <algorithm>
#include <utility>

#include "src/executor/plan.h"
#include "src/passes/collectives.h"
#include "src/passes/loop_entries.h"
#include "src/passes/pipeline.h"
#include "src/placement/placer.h"
#include "src/session/channel_ends.h"
#include "src/session/step_overlap.h"

namespace dfrun {

Result<std::vector<Partition>> CompileRun(const Graph& graph, const RunSignature& signature, Runtime& runtime,
                                          const CompileOptions& options, int32_t* next_channel) {
  DF_ASSIGN(Graph pruned, PruneForRun(graph, signature));
  DF_TRY(LowerCollectives(pruned));
  EnterBeforeExit(pruned);
  if (options.soft_placement) DF_TRY(DropUnmatchedConstraints(pruned, options.cluster));
  if (options.optimize) DF_TRY(OptimizeGraph(pruned, {.kernels = runtime.kernels(), .device = runtime.cpu()}));
  DF_TRY(PlaceGraph(pruned, options.cluster, runtime.kernels(), options.soft_placement));
  int32_t channels = *next_channel;
  DF_ASSIGN(std::vector<Partition> partitions, PartitionGraph(pruned, options.cluster, &channels));
  const int32_t most = runtime.communicator().max_channels();
  if (channels > most) {
    return Error(Code::kResourceExhausted, "the graph needs ", channels, " channels between devices; ",
                 runtime.communicator().transport(), " has ", most, "; place fewer nodes apart from what they read");
  }
  *next_channel = channels;
  return partitions;
}

Result<std::unique_ptr<RankPart>> BuildPart(Runtime& runtime, const std::vector<const Partition*>& partitions) {
  auto part = std::make_unique<RankPart>();
  part->overlaps = true;
  for (const Partition* partition : partitions) {
    Device* device = runtime.FindDevice(partition->device);
    if (device == nullptr) return Internal("rank ", runtime.rank(), " has no device ", partition->device);
    DF_ASSIGN(std::unique_ptr<ExecPlan> plan, ExecPlan::Create(partition->graph, *device, runtime.kernels(),
                                                               {.straight_loops = runtime.straight_loops()}));
    part->plans.push_back(std::move(plan));
    DF_TRY(AddChannelEnds(partition->graph, runtime.rank(), part->ends));
    part->overlaps = part->overlaps && StepsMayOverlap(partition->graph);
  }
  std::stable_partition(part->plans.begin(), part->plans.end(),
                        [&](const auto& plan) { return &plan->device() == &runtime.cpu(); });
  if (runtime.size() > 1 || part->plans.size() > 1) part->communicator = &runtime.communicator();
  return part;
}

}  // namespace dfrun
