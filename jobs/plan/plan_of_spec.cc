#include "jobs/plan/plan_of_spec.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "jobs/compile_job.h"
#include "jobs/place_by_spec.h"
#include "jobs/plan/cluster_file.h"
#include "jobs/plan/compile_plan.h"
#include "jobs/plan/device_memory.h"
#include "jobs/plan/job_forecast.h"
#include "jobs/plan/planned_job.h"
#include "jobs/plan/planned_parts.h"
#include "src/base/text.h"
#include "src/graph/location_prefix.h"
#include "src/job/memory_estimate.h"
#include "src/spec/replica_counts.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {
namespace {

constexpr int kMaxRanks = 1 << 20;

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
std::vector<PlannedPart> MainParts(const std::vector<CompiledStep>& steps, JobForecast& forecast) {
  std::vector<PlannedPart> parts;
  for (const CompiledStep& step : steps) {
    if (&step != &steps[0] && !step.runs_beside) break;
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

Status CheckForecastable(const LoadedSpec& spec) {
  if (!spec.job.train || BackupOf(*spec.job.train) == 0) return Status();
  return Error(Code::kBadSpec, LocationPrefix(spec.graph, spec.job.train->LocationOf("backup")),
               "a step that takes the first of more replicas is not forecast: plan the job without 'backup', as by ",
               "--set train.backup=0");
}

// Adds what the steps need of the memory of devices.
Status AddMemory(const CompiledPlan& plan, const std::vector<PlannedPart>& copies, bool tells_all,
                 const MemoryLimits& limits, const Cluster& cluster, JobForecast& forecast) {
  const std::vector<DevicePart> parts = PartsOf(plan.steps);
  DF_ASSIGN(forecast.warnings, CheckMemory(parts, limits, cluster));
  forecast.memory = PlanMemory(parts, copies, limits, cluster, tells_all);
  return CheckFits(forecast.memory);
}

// `described`: by a file; null: there is none, and the options tell of the machine.
Result<JobForecast> Forecast(const SpecPlanOptions& options, const ClusterDescription* described, int ranks) {
  DF_ASSIGN(PlannedJob job, LoadPlannedJob(options, ranks));
  if (described != nullptr) {
    DF_TRY(described->CheckRanks(job.ranks));
    described->SetSpeeds(job.costs);
  }
  const LoadedSpec& spec = job.spec;
  DF_TRY(CheckForecastable(spec));
  JobForecast forecast;
  forecast.ranks = job.ranks;
  DF_ASSIGN(forecast.placed, PlaceBySpec(spec, job.compiler, &job.costs, options.ranks_per_node));
  const Result<CompiledPlan> plan = CompilePlan(spec, options.stamps_replicas, job.compiler);
  DF_TRY(AsSpecError(options.spec, plan.status()));
  std::vector<PlannedPart> parts = MainParts(plan->steps, forecast);
  const std::vector<PlannedPart> copies = plan->Copies();
  parts.insert(parts.end(), copies.begin(), copies.end());
  Cluster cluster = job.compiler.cluster();
  if (described != nullptr) described->SetMemory(cluster);
  DF_TRY(AsSpecError(options.spec, AddMemory(*plan, copies, options.json, spec.job.memory_limits, cluster, forecast)));
  const int per_node = options.ranks_per_node > 0 ? options.ranks_per_node : forecast.ranks;
  const StepBinding binding = {.ranks = RanksThatNodesName(spec.graph, cluster),
                               .is_compressed = spec.job.compression != WireCompression::kNone};
  forecast.of_step = ForecastStep(parts, cluster, job.costs, per_node, binding);
  for (const PlannedPart& part : parts) {
    if (!options.json) break;
    for (const Node& node : part.graph().nodes()) forecast.placement.emplace(part.NameOf(node), part.device);
  }
  forecast.samples = SamplesOf(spec.job);
  return forecast;
}

}  // namespace

Result<std::string> PlanOfSpec(const SpecPlanOptions& options) {
  SpecPlanOptions on_machine = options;
  std::optional<ClusterDescription> described;
  if (!options.cluster_file.empty()) {
    DF_ASSIGN(described, ReadClusterFile(options.cluster_file));
    on_machine.devices = described->DevicesOfRank();
    on_machine.ranks_per_node = static_cast<int>(described->ranks_per_node);
  }
  std::vector<int> ranks = {0};
  if (!options.ranks.empty()) {
    DF_ASSIGN(ranks, RanksOf(options.ranks));
  }
  std::vector<JobForecast> forecasts;
  for (const int count : ranks) {
    DF_ASSIGN(JobForecast forecast, Forecast(on_machine, described ? &*described : nullptr, count));
    forecasts.push_back(std::move(forecast));
  }
  return options.json ? JsonOfForecasts(forecasts) : TextOfForecasts(forecasts);
}

}  // namespace dfrun::jobs
