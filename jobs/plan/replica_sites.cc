#include "jobs/plan/replica_sites.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "src/collectives/reduce_groups.h"
#include "src/placement/device_choice.h"
#include "src/spec/replica_counts.h"
#include "src/training/variable_placement.h"

namespace dfrun::jobs {
namespace {

// For fewer devices of replicas it gains nothing to make only some.
constexpr size_t kMinDevices = 8;

bool AreEqual(const LoadedSpec& spec, const Cluster& cluster) {
  const JobSpec& job = spec.job;
  if (!job.train || job.train->strategy.name() != "sync" || BackupOf(*job.train) > 0) return false;
  if (job.train->strategy.flag("allreduce") || job.train->data_parallel != TrainSpec::DataParallel::kPs) return false;
  if (job.placement.kind != PlacementSpec::Kind::kRules || !job.placement.file.empty()) return false;
  return !job.soft_placement && job.memory_limits.empty() && job.compression != WireCompression::kHosts &&
         RanksWithChoice(cluster).empty();
}

// Whether the spec has replicas compute on one device, where passes put nodes of several replicas together.
bool ShareDevices(const LoadedSpec& spec) {
  const auto& nodes = spec.graph.nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Node& node) { return !node.device.empty() && !node.op->traits.is_variable; });
}

// Whether the replicas from `first` on are summed in one group.
bool AreInOneGroup(size_t first, size_t size, size_t replicas) {
  const std::vector<ReduceGroup> groups = ReduceGroups(replicas);
  return std::any_of(groups.begin(), groups.end(), [&](const ReduceGroup& group) {
    return first >= group.first && first + size <= group.first + group.size;
  });
}

}  // namespace

Result<std::optional<ReplicaSites>> FindReplicaSites(const LoadedSpec& spec, const Cluster& cluster) {
  std::optional<ReplicaSites> none;
  if (!AreEqual(spec, cluster) || ShareDevices(spec)) return none;
  const std::vector<std::string> workers = WorkerDevices(cluster);
  const auto replicas = static_cast<size_t>(ReplicasOf(*spec.job.train));
  if (replicas > workers.size() && replicas % workers.size() != 0) return none;
  std::unordered_map<std::string, const ClusterDevice*> devices;
  for (const ClusterDevice& device : cluster.devices) devices.emplace(device.name.ToString(), &device);
  ReplicaSites sites;
  std::unordered_map<std::string, size_t> site_of;
  for (size_t r = 0; r < replicas; ++r) {
    const std::string& device = DeviceOfReplica(workers, static_cast<int>(r), static_cast<int>(replicas));
    if (!site_of.emplace(device, sites.devices.size()).second) continue;
    sites.devices.push_back(*devices.at(device));
  }
  DF_ASSIGN(const std::vector<std::string> homes, DevicesOfVariables(spec, cluster));
  size_t others = 1;  // the first has what is there once
  for (const std::string& home : homes) {
    if (const auto site = site_of.find(home); site != site_of.end()) others = std::max(others, site->second + 1);
  }
  const size_t on_device = replicas / sites.devices.size();
  // The replicas that are shown are summed in one way.
  if (!AreInOneGroup(others * on_device, kShownDevices * on_device, replicas)) ++others;
  if (sites.devices.size() < std::max(kMinDevices, others + kShownDevices + 1)) return none;
  sites.made_devices = static_cast<int>(others + kShownDevices);
  sites.made_replicas = sites.made_devices * static_cast<int>(on_device);
  return std::optional(std::move(sites));
}

}  // namespace dfrun::jobs
