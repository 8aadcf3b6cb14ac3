#include "src/plan/pass_time.h"

#include <algorithm>
#include <limits>

namespace dfrun {

double PassTime::Of(const DeviceLoads& loads) {
  Prepare(loads);
  const int accelerators = loads.problem().devices().accelerators;
  double last = 0;
  int finished = 0;
  while (!ready_devices_.empty() || !ready_nodes_.empty()) {
    ++finished;
    if (!ready_nodes_.empty()) {
      const int node = ready_nodes_.back();
      ready_nodes_.pop_back();
      last = std::max(last, node_start_[node] + loads.problem().nodes()[node].cpu_time);
      FinishCpuNode(loads, node);
    } else {
      const int device = ready_devices_.back();
      ready_devices_.pop_back();
      last = std::max(last, device_start_[device] + loads.load(device));
      FinishAccelerator(loads, device);
    }
  }
  const bool all = finished == accelerators + static_cast<int>(loads.cpu_nodes().size());
  return all ? last : std::numeric_limits<double>::infinity();
}

void PassTime::Prepare(const DeviceLoads& loads) {
  const PlacementProblem& problem = loads.problem();
  const int accelerators = problem.devices().accelerators;
  device_waits_.assign(accelerators, 0);
  device_start_.assign(accelerators, 0);
  node_waits_.resize(problem.num_nodes());
  node_start_.resize(problem.num_nodes());
  readers_.resize(accelerators);
  for (std::vector<int>& readers : readers_) readers.clear();
  for (int d = 0; d < accelerators; ++d) {
    for (int from = 0; from < loads.num_devices(); ++from) {
      if (from != d) device_waits_[d] += loads.edges(from, d);
    }
    if (device_waits_[d] == 0) ready_devices_.push_back(d);
  }
  for (const int node : loads.cpu_nodes()) {
    node_waits_[node] = static_cast<int>(problem.predecessors(node).size());
    node_start_[node] = 0;
    if (node_waits_[node] == 0) ready_nodes_.push_back(node);
    for (const int source : problem.predecessors(node)) {
      const int at = loads.device(problem.nodes()[source].group);
      if (problem.is_accelerator(at)) readers_[at].push_back(node);
    }
  }
}

void PassTime::FinishAccelerator(const DeviceLoads& loads, int device) {
  const double finish = device_start_[device] + loads.load(device);
  for (const int node : readers_[device]) MeetCpuNode(node, finish);
  for (int to = 0; to < loads.problem().devices().accelerators; ++to) {
    if (to != device) MeetAccelerator(to, loads.edges(device, to), finish);
  }
}

void PassTime::FinishCpuNode(const DeviceLoads& loads, int node) {
  const PlacementProblem& problem = loads.problem();
  const double finish = node_start_[node] + problem.nodes()[node].cpu_time;
  for (const int reader : problem.successors(node)) {
    const int at = loads.device(problem.nodes()[reader].group);
    if (problem.is_accelerator(at)) {
      MeetAccelerator(at, 1, finish);
    } else {
      MeetCpuNode(reader, finish);
    }
  }
}

void PassTime::MeetAccelerator(int device, int edges, double finish) {
  if (edges == 0) return;
  device_start_[device] = std::max(device_start_[device], finish);
  device_waits_[device] -= edges;
  if (device_waits_[device] == 0) ready_devices_.push_back(device);
}

void PassTime::MeetCpuNode(int node, double finish) {
  node_start_[node] = std::max(node_start_[node], finish);
  if (--node_waits_[node] == 0) ready_nodes_.push_back(node);
}

}  // namespace dfrun
