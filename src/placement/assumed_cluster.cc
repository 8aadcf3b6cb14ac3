#include "src/placement/assumed_cluster.h"

#include <set>
#include <utility>

#include "src/framework/device/device_factory.h"

namespace dfrun {
namespace {

// The constraints of nodes that name a type, each once.
std::vector<DeviceName> NamedDevices(const Graph& graph) {
  std::set<std::string> texts;
  for (const Node& node : graph.nodes()) {
    if (!node.device.empty()) texts.insert(node.device);
  }
  std::vector<DeviceName> named;
  for (const std::string& text : texts) {
    Result<DeviceName> name = DeviceName::Parse(text);
    if (name.ok() && name->type) named.push_back(*std::move(name));  // placement reports the errors of others
  }
  return named;
}

std::set<int> NamedIndices(const DeviceName& task, const std::string& type, const std::vector<DeviceName>& named) {
  std::set<int> indices;
  for (const DeviceName& name : named) {
    if (name.type == type && MayBeOfTask(name, task)) indices.insert(name.index.value_or(0));
  }
  return indices;
}

}  // namespace

Result<Cluster> AssumeCluster(const std::vector<JobTasks>& jobs, int ranks, const DeviceCounts& counts,
                              const Graph& graph) {
  DF_ASSIGN(const std::vector<DeviceName> tasks, AssignTasks(jobs, ranks));
  const std::vector<DeviceName> named = NamedDevices(graph);
  std::vector<DevicesReport> reports(tasks.size());
  for (size_t rank = 0; rank < tasks.size(); ++rank) {
    std::vector<DeviceReport>& devices = reports[rank].devices;
    for (const std::string& type : RegisteredDeviceTypes()) {
      const auto count = counts.find(type);
      if (type == HostDeviceType()) {
        devices.push_back({.type = type});
      } else if (count != counts.end()) {
        for (int i = 0; i < count->second; ++i) devices.push_back({.type = type, .index = i});
      } else {
        for (const int i : NamedIndices(tasks[rank], type, named)) devices.push_back({.type = type, .index = i});
      }
    }
  }
  return MakeCluster(tasks, reports);
}

}  // namespace dfrun
