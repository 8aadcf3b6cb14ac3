#include "src/training/variable_placement.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/framework/device/device_factory.h"
#include "src/framework/device/device_speed.h"
#include "src/placement/device_choice.h"
#include "src/spec/replica_counts.h"
#include "src/training/optimizer.h"

namespace dfrun {
namespace {

// The CPU of each task; where a task has other devices to choose from, the task.
std::vector<std::string> SitesOf(const Cluster& cluster, const std::function<bool(const std::string& job)>& wanted) {
  const std::set<int> with_choice = RanksWithChoice(cluster);
  std::vector<std::string> sites;
  for (const ClusterDevice& d : cluster.devices) {
    if (*d.name.type != HostDeviceType() || !wanted(*d.name.job)) continue;
    const DeviceName task{d.name.job, d.name.task, {}, {}};
    sites.push_back((with_choice.contains(d.rank) ? task : d.name).ToString());
  }
  return sites;
}

// The workers that compute replicas, each once.
std::vector<std::string> ReplicaDevices(const TrainSpec& train, const std::vector<std::string>& workers) {
  const auto replicas = static_cast<int>(ReplicasOf(train) + BackupOf(train));
  std::vector<std::string> devices;
  for (int r = 0; r < replicas; ++r) {
    const std::string& device = DeviceOfReplica(workers, r, replicas);
    if (devices.empty() || devices.back() != device) devices.push_back(device);
  }
  return devices;
}

// The devices on tasks of `sites`; all devices where none is.
Result<std::vector<std::string>> PreferTasksOf(const std::vector<std::string>& sites,
                                               std::vector<std::string> devices) {
  std::vector<std::string> preferred;
  for (const std::string& device : devices) {
    DF_ASSIGN(const DeviceName name, DeviceName::Parse(device));
    for (const std::string& text : sites) {
      DF_ASSIGN(const DeviceName site, DeviceName::Parse(text));
      if (AreOfOneTask(name, site)) preferred.push_back(device);
    }
  }
  return preferred.empty() ? std::move(devices) : std::move(preferred);
}

// The speed between two ranks, one way; as rough as SpeedOf(). Ranks of one host share its memory, over which values go
// too.
constexpr double kWireBytes = 2e9;  // a second
constexpr double kMessageSeconds = 1e-5;

// Whether a step takes less time if a rank without replicas updates the variable, beside the updates of others: the
// variable and its gradient then travel for one replica more.
bool PaysToTravel(const TrainSpec& train, double bytes) {
  const auto slots = static_cast<double>(FindOptimizer(train.optimizer.name()).slots.size());
  const double passes = 2 * slots + 3;  // over the gradient; over the variable and its slots, there and back
  const double update_s = passes * bytes / SpeedOf(HostDeviceType())->bytes;
  return update_s > 2 * (bytes / kWireBytes + kMessageSeconds);
}

// The devices among which a variable's device is chosen.
Result<std::vector<std::string>> Candidates(const LoadedSpec& spec, const Cluster& cluster,
                                            const std::vector<std::string>& workers, const VariableSpec& variable) {
  const Node& node = spec.graph.node(variable.node);
  const bool is_copied =
      variable.trainable && spec.job.train && spec.job.train->data_parallel == TrainSpec::DataParallel::kAllreduce;
  const std::vector<std::string> sites =
      is_copied ? ReplicaDevices(*spec.job.train, workers) : std::vector<std::string>();
  if (!node.device.empty()) {
    DF_ASSIGN(const DeviceName constraint, DeviceName::Parse(node.device));
    std::vector<std::string> fitting;
    for (const ClusterDevice& d : cluster.devices) {
      if (constraint.Matches(d.name)) fitting.push_back(d.name.ToString());
    }
    if (!fitting.empty()) return PreferTasksOf(sites, std::move(fitting));
    return InvalidArgument(spec.graph.Describe(variable.node), ": no device fits '", node.device, "'; there are ",
                           cluster.ListDevices(), cluster.WhyNone(constraint));
  }
  if (is_copied) return sites;
  if (!variable.trainable) return std::vector<std::string>{workers[0]};
  const bool on_ps = spec.job.train && spec.job.train->parameters == TrainSpec::Parameters::kPs;
  const std::vector<std::string> ps = SitesOf(cluster, [](const std::string& job) { return job == "ps"; });
  if (on_ps && !ps.empty()) return ps;
  const bool by_cost = spec.job.train && spec.job.train->parameters == TrainSpec::Parameters::kByCost;
  const auto bytes = static_cast<double>(VariableBytes(spec.graph, variable.node));
  const bool may_travel = by_cost && variable.is_trained() && PaysToTravel(*spec.job.train, bytes);
  return by_cost && !may_travel ? ReplicaDevices(*spec.job.train, workers) : workers;
}

// The device that the job's placement gives the variable; null: none.
const std::string* PlacedOn(const NodePlacement& placement, const LoadedSpec& spec, const VariableSpec& variable) {
  const bool may_be = !placement.empty() && MayBePlaced(spec, variable);
  return may_be ? placement.Find(spec.graph.node(variable.node).name) : nullptr;
}

}  // namespace

int64_t VariableBytes(const Graph& graph, NodeId variable) {
  const int64_t elements = graph.shape({variable, 0}).num_elements();
  return std::max<int64_t>(elements, 0) * static_cast<int64_t>(DTypeSize(graph.dtype({variable, 0})));
}

std::vector<std::string> WorkerDevices(const Cluster& cluster) {
  std::vector<std::string> devices = SitesOf(cluster, [](const std::string& job) { return job == "worker"; });
  if (devices.empty()) devices = SitesOf(cluster, [](const std::string& job) { return job != "ps"; });
  if (devices.empty()) devices = SitesOf(cluster, [](const std::string&) { return true; });
  return devices;
}

const std::string& DeviceOfReplica(const std::vector<std::string>& workers, int replica, int replicas) {
  return workers[static_cast<size_t>(replica) * workers.size() / static_cast<size_t>(replicas)];
}

bool AreOfOneTask(const DeviceName& a, const DeviceName& b) {
  return a.job == b.job && a.task == b.task;
}

Result<std::vector<int>> RanksWithoutReplicas(const TrainSpec& train, const Cluster& cluster) {
  std::set<int> ranks;
  for (const ClusterDevice& device : cluster.devices) ranks.insert(device.rank);
  for (const std::string& text : ReplicaDevices(train, WorkerDevices(cluster))) {
    DF_ASSIGN(const DeviceName replica, DeviceName::Parse(text));
    for (const ClusterDevice& device : cluster.devices) {
      if (AreOfOneTask(replica, device.name)) ranks.erase(device.rank);
    }
  }
  return std::vector<int>(ranks.begin(), ranks.end());
}

bool MayBePlaced(const LoadedSpec& spec, const VariableSpec& variable) {
  if (!spec.graph.node(variable.node).device.empty()) return false;
  for (const InputSpec& input : spec.job.inputs) {
    if (input.position == variable.node) return false;
  }
  if (!spec.job.train) return true;
  const TrainSpec& train = *spec.job.train;
  return train.strategy.name() == "sync" && BackupOf(train) == 0 &&
         train.data_parallel != TrainSpec::DataParallel::kAllreduce;
}

Result<std::vector<std::string>> DevicesOfVariables(const LoadedSpec& spec, const Cluster& cluster,
                                                    const NodePlacement& placement) {
  const std::vector<VariableSpec>& variables = spec.job.variables;
  const std::vector<std::string> workers = WorkerDevices(cluster);
  std::vector<size_t> by_size(variables.size());
  for (size_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
  std::stable_sort(by_size.begin(), by_size.end(), [&](size_t a, size_t b) {
    return VariableBytes(spec.graph, variables[a].node) > VariableBytes(spec.graph, variables[b].node);
  });
  std::map<std::string, int64_t> load;
  std::vector<std::string> devices(variables.size());
  for (size_t i : by_size) {
    if (const std::string* const placed = PlacedOn(placement, spec, variables[i])) {
      load[*placed] += VariableBytes(spec.graph, variables[i].node);
      devices[i] = *placed;
      continue;
    }
    DF_ASSIGN(const std::vector<std::string> candidates, Candidates(spec, cluster, workers, variables[i]));
    const std::string& device =
        *std::min_element(candidates.begin(), candidates.end(),
                          [&](const std::string& a, const std::string& b) { return load[a] < load[b]; });
    load[device] += VariableBytes(spec.graph, variables[i].node);
    devices[i] = device;
  }
  return devices;
}

}  // namespace dfrun
