#include "jobs/plan/plan_of_spec.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "jobs/compile_job.h"
#include "jobs/cost_file.h"
#include "jobs/json.h"
#include "jobs/model.h"
#include "jobs/plan/cluster_file.h"
#include "jobs/plan/device_memory.h"
#include "jobs/plan/step_forecast.h"
#include "jobs/text_table.h"
#include "src/base/counted.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/job/memory_estimate.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {
namespace {

// The efficiency below which more ranks are said to be of little use.
constexpr double kGoodEfficiency = 0.8;
constexpr int kMaxRanks = 1 << 20;

// The forecast of a job on a number of ranks.
struct JobForecast {
  int ranks = 0;
  StepForecast of_step;
  std::vector<std::pair<std::string, std::string>> placement;  // node and device
  std::vector<DeviceMemoryPlan> memory;
  std::vector<std::string> warnings;
  int64_t samples = 0;  // samples of a step; 0: not known
};

// The machine that a job is planned for.
struct Machine {
  CostTable costs;
  std::optional<ClusterDescription> cluster;
  DeviceCounts devices;    // devices of a rank
  int ranks_per_node = 0;  // 0: all on one
};

Result<Machine> MachineOf(const SpecPlanOptions& options) {
  Machine machine{.costs = {}, .cluster = {}, .devices = options.devices, .ranks_per_node = options.ranks_per_node};
  if (!options.cost_file.empty()) {
    DF_ASSIGN(machine.costs, ReadCostFile(options.cost_file));
  }
  if (options.cluster_file.empty()) return machine;
  DF_ASSIGN(machine.cluster, ReadClusterFile(options.cluster_file));
  machine.cluster->SetSpeeds(machine.costs);
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

// The step of the job, which is the first that CompileSpec() makes.
Result<const CompiledStep*> MainStep(const std::vector<CompiledStep>& steps, const LoadedSpec& spec) {
  const bool overlaps = std::any_of(steps.begin(), steps.end(), [](const CompiledStep& s) { return s.runs_beside; });
  if (overlaps) {
    return Error(Code::kBadSpec, "the steps of '", spec.job.train->strategy.name(),
                 "' overlap, and are not forecast: plan the job with 'strategy: sync', as by --set "
                 "train.strategy=sync");
  }
  return &steps[0];
}

int64_t SamplesOf(const JobSpec& job) {
  if (!job.train || job.train->input < 0) return 0;
  const InputSpec& input = job.inputs[static_cast<size_t>(job.train->input)];
  return input.all ? 0 : input.batch;
}

// Adds what the steps need of the memory of devices.
Status AddMemory(const std::vector<CompiledStep>& steps, const MemoryLimits& limits, const Cluster& cluster,
                 JobForecast& forecast) {
  const std::vector<DevicePart> parts = PartsOf(steps);
  DF_ASSIGN(forecast.warnings, CheckMemory(parts, limits, cluster));
  forecast.memory = PlanMemory(parts, limits, cluster);
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
  const Result<std::vector<CompiledStep>> steps = compiler->CompileSpec(spec);
  DF_TRY(AsSpecError(options.spec, steps.status()));
  DF_ASSIGN(const CompiledStep* const step, MainStep(*steps, spec));
  Cluster cluster = compiler->cluster();
  if (machine.cluster) machine.cluster->SetMemory(cluster);
  DF_TRY(AsSpecError(options.spec, AddMemory(*steps, spec.job.memory_limits, cluster, forecast)));
  const int per_node = machine.ranks_per_node > 0 ? machine.ranks_per_node : forecast.ranks;
  const StepBinding binding = {.ranks = RanksThatNodesName(spec.graph, cluster),
                               .is_compressed = spec.job.compression != WireCompression::kNone};
  forecast.of_step = ForecastStep(step->partitions, cluster, machine.costs, per_node, binding);
  for (const Partition& partition : step->partitions) {
    for (const Node& node : partition.graph.nodes()) forecast.placement.emplace_back(node.name, partition.device);
  }
  forecast.samples = SamplesOf(spec.job);
  return forecast;
}

double Seconds(const JobForecast& forecast) {
  return forecast.of_step.step.seconds;
}

double Gap(const JobForecast& forecast) {
  const double bound = forecast.of_step.bound.cost;
  return bound > 0 ? std::max(Seconds(forecast) / bound - 1, 0.0) : 0;
}

// The part of the time of a step in which its devices compute, on average and the busiest.
std::pair<double, double> BusyParts(const JobForecast& forecast) {
  double sum = 0;
  double most = 0;
  for (const double busy_s : forecast.of_step.step.busy_s) {
    sum += busy_s;
    most = std::max(most, busy_s);
  }
  const double whole = std::max(Seconds(forecast), 1e-12);
  return {sum / whole / static_cast<double>(std::max<size_t>(forecast.of_step.devices.size(), 1)), most / whole};
}

// How much more the busiest device computes than one on the mean; 1 where none computes.
double Imbalance(const JobForecast& forecast) {
  const auto [mean, most] = BusyParts(forecast);
  return mean > 0 ? most / mean : 1;
}

LinkUse AllLinks(const JobForecast& forecast) {
  LinkUse all;
  for (const auto& [pair, use] : forecast.of_step.links) {
    all.messages += use.messages;
    all.bytes += use.bytes;
  }
  return all;
}

// "341 us".
std::string TimeText(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.3f} s", seconds);
}

std::string TextOfOne(const JobForecast& forecast) {
  const StepForecast& of = forecast.of_step;
  std::string text = StrCat("step:   ", TimeText(of.step.seconds));
  if (forecast.samples > 0)
    text += fmt::format(", {:.0f} samples a second", static_cast<double>(forecast.samples) / of.step.seconds);
  text += StrCat("\nbound:  ", TimeText(of.bound.cost), fmt::format("\ngap:    {:.1f} %", 100 * Gap(forecast)),
                 "\nreason: ", of.bound.reason, "\n");
  const double waits_s = of.step.seconds - of.step.path_tasks_s - of.step.path_messages_s;
  text += StrCat("path:   ", Counted(static_cast<int64_t>(of.step.path.size()), "node"), ", of which ",
                 TimeText(of.step.path_tasks_s), " of nodes and ", TimeText(of.step.path_messages_s), " of messages",
                 waits_s > 1e-9 ? StrCat(", ", TimeText(waits_s), " between them") : "", "\n");
  for (const auto& [pair, use] : of.links) {
    text += StrCat("link:   ", PairClassName(pair), ", ", Counted(use.messages, "message"), " with ",
                   BytesText(use.bytes), "\n");
  }
  const auto [mean, most] = BusyParts(forecast);
  text += fmt::format("busy:   {:.0f} % of the step on the mean of {}, {:.0f} % on the busiest; imbalance {:.2f}\n",
                      100 * mean, Counted(static_cast<int64_t>(of.devices.size()), "device"), 100 * most,
                      Imbalance(forecast));
  for (const std::string& line : DescribePlans(forecast.memory)) text += line + "\n";
  for (const std::string& warning : forecast.warnings) text += StrCat("warning: ", warning, "\n");
  if (of.has_loops) text += "note: each node of a loop or a conditional counts once\n";
  return text;
}

// How much of the speed of the first number of ranks each rank of another has.
double Efficiency(const JobForecast& first, const JobForecast& other) {
  return Seconds(first) * first.ranks / (Seconds(other) * other.ranks);
}

std::string TextOfSeveral(const std::vector<JobForecast>& forecasts) {
  std::vector<std::vector<std::string>> rows = {
      {"ranks", "step", "efficiency", "bound", "gap", "messages", "bytes", "busy", "imbalance"}};
  const JobForecast* weak = nullptr;
  for (const JobForecast& forecast : forecasts) {
    const LinkUse links = AllLinks(forecast);
    const double efficiency = Efficiency(forecasts[0], forecast);
    if (weak == nullptr && efficiency < kGoodEfficiency) weak = &forecast;
    rows.push_back({StrCat(forecast.ranks), TimeText(Seconds(forecast)), fmt::format("{:.2f}", efficiency),
                    TimeText(forecast.of_step.bound.cost), fmt::format("{:.0f} %", 100 * Gap(forecast)),
                    StrCat(links.messages), BytesText(links.bytes),
                    fmt::format("{:.0f} %", 100 * BusyParts(forecast).first),
                    fmt::format("{:.2f}", Imbalance(forecast))});
  }
  std::string text = TextTable(rows);
  if (weak != nullptr)
    text += fmt::format("efficiency falls below {} at {}\n", kGoodEfficiency, Counted(weak->ranks, "rank"));
  return text;
}

std::string JsonOf(const JobForecast& first, const JobForecast& forecast) {
  const StepForecast& of = forecast.of_step;
  const std::string links = Join(of.links, ", ", [](const auto& link) {
    return StrCat(JsonString(std::string(PairClassName(link.first))), ": {\"messages\": ", link.second.messages,
                  ", \"bytes\": ", link.second.bytes, "}");
  });
  const std::string placement = Join(forecast.placement, ", ", [](const auto& node) {
    return StrCat(JsonString(node.first), ": ", JsonString(node.second));
  });
  return StrCat(
      "{\"ranks\": ", forecast.ranks, ", \"cost\": ", JsonNumber(Seconds(forecast)),
      ", \"bound\": ", JsonNumber(of.bound.cost), ", \"gap\": ", JsonNumber(Gap(forecast)),
      ", \"reason\": ", JsonString(of.bound.reason), ", \"path_nodes_s\": ", JsonNumber(of.step.path_tasks_s),
      ", \"path_messages_s\": ", JsonNumber(of.step.path_messages_s),
      ", \"busy\": ", JsonNumber(BusyParts(forecast).first), ", \"imbalance\": ", JsonNumber(Imbalance(forecast)),
      ", \"efficiency\": ", JsonNumber(Efficiency(first, forecast)), ", \"memory\": ", ToJson(forecast.memory),
      ", \"links\": {", links, "}, \"placement\": {", placement, "}}");
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
  if (!options.json) return forecasts.size() == 1 ? TextOfOne(forecasts[0]) : TextOfSeveral(forecasts);
  if (forecasts.size() == 1) return JsonOf(forecasts[0], forecasts[0]) + "\n";
  return StrCat("[", Join(forecasts, ",\n ", [&](const JobForecast& f) { return JsonOf(forecasts[0], f); }), "]\n");
}

}  // namespace dfrun::jobs
