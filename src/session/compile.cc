#include "src/session/compile.h"

#include <algorithm>
#include <utility>

#include "src/executor/plan.h"
#include "src/passes/pass.h"
#include "src/placement/placer.h"
#include "src/session/step_runner.h"

namespace dfrun {

namespace {

Status RunGraphPasses(Graph& graph, const PassContext& context, bool are_required) {
  for (const Pass* pass : GraphPasses()) {
    if (pass->is_required == are_required) DF_TRY(RunPass(*pass, graph, context));
  }
  return Status();
}

Status RunDevicePasses(std::vector<Partition>& partitions, const PassContext& context) {
  for (Partition& partition : partitions) {
    DF_ASSIGN(const DeviceName name, DeviceName::Parse(partition.device));
    for (const Pass* pass : DevicePasses(name.type.value_or(""))) {
      DF_TRY(RunPass(*pass, partition.graph, context).Annotate(StrCat("on ", partition.device)));
    }
  }
  return Status();
}

}  // namespace

Result<std::vector<Partition>> CompileRun(const Graph& graph, const RunSignature& signature, Runtime& runtime,
                                          const CompileOptions& options, int32_t* next_channel) {
  DF_ASSIGN(Graph pruned, PruneForRun(graph, signature));
  const PassContext context{.kernels = runtime.kernels(), .host = runtime.cpu()};
  DF_TRY(RunGraphPasses(pruned, context, true));
  if (options.soft_placement) DF_TRY(DropUnmatchedConstraints(pruned, options.cluster));
  if (options.optimize) DF_TRY(RunGraphPasses(pruned, context, false));
  DF_TRY(PlaceGraph(pruned, options.cluster, runtime.kernels(), options.soft_placement));
  int32_t channels = *next_channel;
  DF_ASSIGN(std::vector<Partition> partitions, PartitionGraph(pruned, options.cluster, &channels));
  const int32_t most = runtime.communicator().max_channels();
  if (channels > most) {
    return Error(Code::kResourceExhausted, "the graph needs ", channels, " channels between devices; ",
                 runtime.communicator().transport(), " has ", most, "; place fewer nodes apart from what they read");
  }
  if (options.optimize) DF_TRY(RunDevicePasses(partitions, context));
  *next_channel = channels;
  return partitions;
}

Result<std::unique_ptr<RankPart>> BuildPart(Runtime& runtime, const std::vector<const Partition*>& partitions) {
  auto part = std::make_unique<RankPart>();
  for (const Partition* partition : partitions) {
    Device* device = runtime.FindDevice(partition->device);
    if (device == nullptr) return Internal("rank ", runtime.rank(), " has no device ", partition->device);
    DF_ASSIGN(std::unique_ptr<ExecPlan> plan, ExecPlan::Create(partition->graph, *device, runtime.kernels(),
                                                               {.straight_loops = runtime.straight_loops()}));
    part->plans.push_back(std::move(plan));
  }
  std::stable_partition(part->plans.begin(), part->plans.end(),
                        [&](const auto& plan) { return &plan->device() == &runtime.cpu(); });
  if (runtime.size() > 1 || part->plans.size() > 1) part->rendezvous = runtime.communicator().NewRendezvous();
  return part;
}

}  // namespace dfrun
