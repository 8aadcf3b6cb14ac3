#include "src/session/compile.h"

#include <algorithm>
#include <utility>

#include "src/executor/build_plan.h"
#include "src/executor/plan/plan.h"
#include "src/partition/collective_channels.h"
#include "src/passes/collectives.h"
#include "src/passes/pass.h"
#include "src/placement/device_choice.h"
#include "src/placement/placer.h"
#include "src/session/channel_endpoints.h"
#include "src/session/step_overlap.h"

namespace dfrun {

namespace {

constexpr const char* kPrune = "prune";
constexpr const char* kPlace = "place";
constexpr const char* kPartition = "partition";

// Adds the time of its life to the times of the stages.
class TimedStage {
 public:
  TimedStage(const CompileOptions& options, std::string_view stage) : times_(options.times), stage_(stage) {}
  TimedStage(const TimedStage&) = delete;
  TimedStage& operator=(const TimedStage&) = delete;
  ~TimedStage() {
    if (times_ != nullptr) times_->push_back({std::string(stage_), Clock::now() - start_});
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<StageTime>* const times_;
  const std::string_view stage_;
  const Clock::time_point start_ = Clock::now();
};

std::vector<Partition> Whole(Graph graph) {
  std::vector<Partition> whole;
  whole.push_back({"", 0, std::move(graph)});
  return whole;
}

bool IsLeftOut(const Pass& pass, const CompileOptions& options) {
  const std::vector<std::string>& names = options.without_passes;
  return !pass.is_required && std::find(names.begin(), names.end(), pass.name) != names.end();
}

// Whether the last stage that is to run was among them.
Result<bool> RunGraphPasses(Graph& graph, const PassContext& context, bool are_required,
                            const CompileOptions& options) {
  for (const Pass* pass : GraphPasses()) {
    if (pass->is_required != are_required) continue;
    if (!IsLeftOut(*pass, options)) {
      const TimedStage timed(options, pass->name);
      DF_TRY(RunPass(*pass, graph, context));
    }
    if (pass->name == options.last_stage) return true;
  }
  return false;
}

Result<bool> RunDevicePasses(std::vector<Partition>& partitions, const PassContext& context,
                             const CompileOptions& options) {
  std::vector<std::string> types;
  for (const Partition& partition : partitions) {
    DF_ASSIGN(const DeviceName name, DeviceName::Parse(partition.device));
    types.push_back(name.type.value_or(""));
  }
  const auto run = [&](const Pass& pass) -> Status {
    const TimedStage timed(options, pass.name);
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (types[i] != pass.device) continue;
      DF_TRY(RunPass(pass, partitions[i].graph, context).Annotate(StrCat("on ", partitions[i].device)));
    }
    return Status();
  };
  for (const Pass* pass : DevicePasses()) {
    const bool has_device = std::find(types.begin(), types.end(), pass->device) != types.end();
    if (has_device && !IsLeftOut(*pass, options)) DF_TRY(run(*pass));
    if (pass->name == options.last_stage) return true;
  }
  return false;
}

Status RunPartitionPasses(std::vector<Partition>& partitions, const PassContext& context,
                          const CompileOptions& options) {
  std::vector<Graph*> graphs;
  graphs.reserve(partitions.size());
  for (Partition& partition : partitions) graphs.push_back(&partition.graph);
  for (const Pass* pass : PartitionPasses()) {
    if (!IsLeftOut(*pass, options)) {
      const TimedStage timed(options, pass->name);
      DF_TRY(RunPartitionPass(*pass, graphs, context));
    }
    if (pass->name == options.last_stage) break;
  }
  return Status();
}

Result<Graph> Prune(const Graph& graph, const RunSignature& signature, const CompileOptions& options) {
  const TimedStage timed(options, kPrune);
  return PruneForRun(graph, signature);
}

Status Place(Graph& graph, const Runtime& runtime, const CompileOptions& options) {
  const TimedStage timed(options, kPlace);
  DF_TRY(ChooseDevices(graph, options.cluster, runtime.kernels(), {.soft = options.soft_placement}));
  DF_TRY(PlaceGraph(graph, options.cluster, runtime.kernels(), options.soft_placement));
  return ChooseCollectives(graph, runtime.collectives());
}

Result<std::vector<Partition>> Split(Graph& graph, const Runtime& runtime, const CompileOptions& options,
                                     int32_t* channels) {
  const TimedStage timed(options, kPartition);
  DF_TRY(AllotCollectiveChannels(graph, options.cluster, channels));
  return PartitionGraph(graph, options.cluster, channels,
                        {.compression = options.compression, .hosts = runtime.hosts()});
}

// The passes behind the partitioner.
Status Improve(std::vector<Partition>& partitions, const PassContext& context, const CompileOptions& options) {
  DF_ASSIGN(const bool ends, RunDevicePasses(partitions, context, options));
  return ends ? Status() : RunPartitionPasses(partitions, context, options);
}

}  // namespace

std::vector<std::string> CompileStages() {
  std::vector<std::string> stages = {kPrune};
  for (const bool are_required : {true, false}) {
    for (const Pass* pass : GraphPasses()) {
      if (pass->is_required == are_required) stages.push_back(pass->name);
    }
  }
  stages.insert(stages.end(), {kPlace, kPartition});
  for (const Pass* pass : DevicePasses()) stages.push_back(pass->name);
  for (const Pass* pass : PartitionPasses()) stages.push_back(pass->name);
  return stages;
}

Result<std::vector<Partition>> CompileRun(const Graph& graph, const RunSignature& signature, Runtime& runtime,
                                          const CompileOptions& options, int32_t* next_channel) {
  const std::string& last = options.last_stage;
  DF_ASSIGN(Graph pruned, Prune(graph, signature, options));
  if (last == kPrune) return Whole(std::move(pruned));
  const PassContext context{.kernels = runtime.kernels(), .host = runtime.cpu(), .collectives = runtime.collectives()};
  DF_ASSIGN(bool ends, RunGraphPasses(pruned, context, /*are_required=*/true, options));
  if (ends) return Whole(std::move(pruned));
  if (options.soft_placement) DF_TRY(DropUnmatchedConstraints(pruned, options.cluster));
  if (options.optimize) {
    DF_ASSIGN(ends, RunGraphPasses(pruned, context, /*are_required=*/false, options));
  }
  if (ends) return Whole(std::move(pruned));
  DF_TRY(Place(pruned, runtime, options));
  if (last == kPlace) return Whole(std::move(pruned));
  int32_t channels = *next_channel;
  DF_ASSIGN(std::vector<Partition> partitions, Split(pruned, runtime, options, &channels));
  const int32_t most = runtime.communicator().max_channels();
  if (channels > most) {
    return Error(Code::kResourceExhausted, "the graph needs ", channels, " channels between devices; ",
                 runtime.communicator().transport(), " has ", most, "; place fewer nodes apart from what they read");
  }
  if (options.optimize && last != kPartition) DF_TRY(Improve(partitions, context, options));
  *next_channel = channels;
  return partitions;
}

Result<std::unique_ptr<LocalExecutable>> BuildPart(Runtime& runtime, const std::vector<const Partition*>& partitions,
                                                   bool keep_graphs) {
  auto part = std::make_unique<LocalExecutable>();
  part->overlaps = true;
  for (const Partition* partition : partitions) {
    Device* device = runtime.FindDevice(partition->device);
    if (device == nullptr) return Internal("rank ", runtime.rank(), " has no device ", partition->device);
    DF_ASSIGN(std::unique_ptr<ExecPlan> plan,
              BuildPlan(partition->graph, *device, runtime.kernels(), runtime.plan_options()));
    part->plans.push_back(std::move(plan));
    if (keep_graphs) part->graphs.emplace_back(partition->device, partition->graph.Clone());
    DF_TRY(AddChannelEndpoints(partition->graph, runtime.rank(), part->ends));
    part->overlaps = part->overlaps && StepsMayOverlap(partition->graph);
  }
  std::stable_partition(part->plans.begin(), part->plans.end(),
                        [&](const auto& plan) { return &plan->device() == &runtime.cpu(); });
  if (runtime.size() > 1 || part->plans.size() > 1) part->communicator = &runtime.communicator();
  part->list = &runtime.parts();
  part->list->Add(*part);
  return part;
}

}  // namespace dfrun
