#include "src/job/idle_ranks.h"

#include <algorithm>

#include "src/base/counted.h"
#include "src/base/number_runs.h"
#include "src/base/text.h"
#include "src/training/variable_placement.h"

namespace dfrun {
namespace {

int CountRanks(const Cluster& cluster) {
  int ranks = 0;
  for (const ClusterDevice& device : cluster.devices) ranks = std::max(ranks, device.rank + 1);
  return ranks;
}

// A device that says a job or a task.
bool NamesTask(const Node& node) {
  const Result<DeviceName> device = DeviceName::Parse(node.device);
  return device.ok() && (device->job || device->task);
}

// Whether the spec decides which ranks hold variables: without jobs of its own every rank is a worker.
bool ChoosesWhoHoldsVariables(const LoadedSpec& spec) {
  return spec.job.jobs.size() > 1 || std::any_of(spec.graph.nodes().begin(), spec.graph.nodes().end(), &NamesTask);
}

// "3 only hold variables (rank 1, 2, 3)".
std::string Part(const std::vector<int>& ranks, const char* one, const char* several) {
  return StrCat(ranks.size(), " ", ranks.size() == 1 ? one : several, " (rank ", NumberRuns(ranks), ")");
}

// The largest number of replicas, more than there are, that the ranks and every batch allow; 0: there is none.
int64_t BetterReplicas(const JobSpec& job, int ranks) {
  const int64_t now = job.train->strategy.integer("replicas");
  for (int64_t replicas = ranks; replicas > now; --replicas) {
    const bool fits = std::all_of(job.inputs.begin(), job.inputs.end(), [&](const InputSpec& input) {
      return !input.is_sliced() || input.batch % replicas == 0;
    });
    if (fits) return replicas;
  }
  return 0;
}

std::string DescribeForTraining(const JobSpec& job, int ranks, const std::vector<int>& without,
                                const std::vector<int>& idle) {
  std::vector<int> holders;
  std::set_difference(without.begin(), without.end(), idle.begin(), idle.end(), std::back_inserter(holders));
  if (holders.empty() && idle.empty()) return "";
  std::vector<std::string> parts;
  if (!holders.empty()) parts.push_back(Part(holders, "only holds variables", "only hold variables"));
  if (!idle.empty()) parts.push_back(Part(idle, "has nothing to compute", "have nothing to compute"));
  const int64_t better = BetterReplicas(job, ranks);
  return StrCat(Counted(job.train->strategy.integer("replicas"), "replica"), " on ", ranks,
                " ranks: ", Join(parts, ", "), ": ",
                better > 0 ? StrCat("set `replicas: ", better, "` of `train`, or ") : "", "start ",
                Counted(ranks - static_cast<int64_t>(without.size()), "rank"));
}

}  // namespace

std::string DescribeIdleRanks(const LoadedSpec& spec, const Cluster& cluster, const std::vector<int>& idle,
                              bool is_placed) {
  const int ranks = CountRanks(cluster);
  if (spec.job.train && !ChoosesWhoHoldsVariables(spec)) {
    const Result<std::vector<int>> without = RanksWithoutReplicas(*spec.job.train, cluster);
    if (without.ok()) return DescribeForTraining(spec.job, ranks, is_placed ? idle : *without, idle);
  }
  if (idle.empty()) return "";
  int needed = 0;
  for (const JobSize& job : spec.job.jobs) needed += job.tasks == JobSize::kRest ? 1 : job.tasks;
  return StrCat(idle.size(), " of ", ranks, " ranks have nothing to compute (rank ", NumberRuns(idle),
                "): ", ranks > needed ? "start fewer ranks, or " : "",
                spec.job.train ? "raise `train: {replicas: ...}`" : "name devices of theirs");
}

}  // namespace dfrun
