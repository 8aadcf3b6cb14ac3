#include "jobs/plan/plan_of_spec.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "jobs/compile_job.h"
#include "jobs/model.h"
#include "jobs/place_by_spec.h"
#include "jobs/plan/cluster_file.h"
#include "jobs/plan/compile_plan.h"
#include "jobs/plan/device_memory.h"
#include "jobs/plan/job_forecast.h"
#include "jobs/plan/planned_parts.h"
#include "src/base/text.h"
#include "src/job/memory_estimate.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {
namespace {

constexpr int kMaxRanks = 1 << 20;

// The machine that a job is planned for.
struct Machine {
  std::optional<ClusterDescription> cluster;
  DeviceCounts devices;    // devices of a rank
  int ranks_per_node = 0;  // 0: all on one
};

Result<Machine> MachineOf(const SpecPlanOptions& options) {
  Machine machine{.cluster = {}, .devices = options.devices, .ranks_per_node = options.ranks_per_node};
  if (options.cluster_file.empty()) return machine;
  DF_ASSIGN(machine.cluster, ReadClusterFile(options.cluster_file));
  machine.devices = machine.cluster->DevicesOfRank();
  machine.ranks_per_node = static_cast<int>(machine.cluster->ranks_per_node);
  return machine;
}

// "4" or "1,2,4".
Result<std::vector<int>> RanksOf(std::string_view text) {
  std::vector<int> ranks;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part(text.substr(begin, end - begin));
    const std::optional<int> number = ParseAs<int>(part);
    if (!number || *number < 1 || *number > kMaxRanks) {
      return Error(Code::kUsage, "--ranks: '", part, "' is no number from 1 to ", kMaxRanks,
                   "; give one, or several as 1,2,4");
    }
    ranks.push_back(*number);
    begin = end + 1;
  }
  return ranks;
}

// The parts of the job's step, which is the first that CompileSpec() makes. Where replicas run for themselves, those of
// one step of each.
Result<std::vector<PlannedPart>> MainParts(const std::vector<CompiledStep>& steps, JobForecast& forecast) {
  std::vector<PlannedPart> parts;
  for (const CompiledStep& step : steps) {
    if (&step != &steps[0] && !step.runs_beside) break;
    if (step.runs_beside && !step.name.starts_with("replica_")) {
      return Error(Code::kBadSpec, "a step that takes the first of more replicas is not forecast: plan the job ",
                   "without 'backup', as by --set train.backup=0");
    }
    forecast.replicas_apart += step.runs_beside ? 1 : 0;
    for (const Partition& partition : step.partitions)
      parts.push_back({.partition = &partition, .device = partition.device, .rank = partition.rank});
  }
  return parts;
}

int64_t SamplesOf(const JobSpec& job) {
  if (!job.train || job.train->input < 0) return 0;
  const InputSpec& input = job.inputs[static_cast<size_t>(job.train->input)];
  return input.all ? 0 : input.batch;
}

// Adds what the steps need of the memory of devices.
Status AddMemory(const CompiledPlan& plan, const std::vector<PlannedPart>& copies, bool tells_all,
                 const MemoryLimits& limits, const Cluster& cluster, JobForecast& forecast) {
  const std::vector<DevicePart> parts = PartsOf(plan.steps);
  DF_ASSIGN(forecast.warnings, CheckMemory(parts, limits, cluster));
  forecast.memory = PlanMemory(parts, copies, limits, cluster, tells_all);
  return CheckFits(forecast.memory);
}

Result<JobForecast> Forecast(const SpecPlanOptions& options, const Machine& machine, int ranks) {
  DF_ASSIGN(Model model, LoadSpecModel({.path = options.spec,
                                        .sets = options.sets,
                                        .tags = {},
                                        .ranks = ranks,
                                        .device_counts = machine.devices,
                                        .form = ModelOptions::Form::kJob}));
  JobForecast forecast;
  forecast.ranks = ranks > 0 ? ranks : model.RanksNeeded();
  if (machine.cluster) DF_TRY(machine.cluster->CheckRanks(forecast.ranks));
  Result<JobCompiler> compiler = JobCompiler::Create(model, forecast.ranks);
  DF_TRY(AsSpecError(options.spec, compiler.status()));
  const LoadedSpec spec = model.TakeSpec();
  DF_ASSIGN(CostTable costs, CostsOfPlacement(spec.job.placement, options.cost_file));
  if (machine.cluster) machine.cluster->SetSpeeds(costs);
  DF_ASSIGN(forecast.placed, PlaceBySpec(spec, *compiler, &costs, machine.ranks_per_node));
  const Result<CompiledPlan> plan = CompilePlan(spec, options.stamps_replicas, *compiler);
  DF_TRY(AsSpecError(options.spec, plan.status()));
  DF_ASSIGN(std::vector<PlannedPart> parts, MainParts(plan->steps, forecast));
  const std::vector<PlannedPart> copies = plan->Copies();
  parts.insert(parts.end(), copies.begin(), copies.end());
  Cluster cluster = compiler->cluster();
  if (machine.cluster) machine.cluster->SetMemory(cluster);
  DF_TRY(AsSpecError(options.spec, AddMemory(*plan, copies, options.json, spec.job.memory_limits, cluster, forecast)));
  const int per_node = machine.ranks_per_node > 0 ? machine.ranks_per_node : forecast.ranks;
  const StepBinding binding = {.ranks = RanksThatNodesName(spec.graph, cluster),
                               .is_compressed = spec.job.compression != WireCompression::kNone};
  forecast.of_step = ForecastStep(parts, cluster, costs, per_node, binding);
  for (const PlannedPart& part : parts) {
    if (!options.json) break;
    for (const Node& node : part.graph().nodes()) forecast.placement.emplace(part.NameOf(node), part.device);
  }
  forecast.samples = SamplesOf(spec.job);
  return forecast;
}

}  // namespace

Result<std::string> PlanOfSpec(const SpecPlanOptions& options) {
  DF_ASSIGN(const Machine machine, MachineOf(options));
  std::vector<int> ranks = {0};
  if (!options.ranks.empty()) {
    DF_ASSIGN(ranks, RanksOf(options.ranks));
  }
  std::vector<JobForecast> forecasts;
  for (const int count : ranks) {
    DF_ASSIGN(JobForecast forecast, Forecast(options, machine, count));
    forecasts.push_back(std::move(forecast));
  }
  return options.json ? JsonOfForecasts(forecasts) : TextOfForecasts(forecasts);
}

}  // namespace dfrun::jobs
