#include "src/plan/device_loads.h"

#include <algorithm>

namespace dfrun {

DeviceLoads::DeviceLoads(const PlacementProblem& problem, const Placement& placement, int devices)
    : problem_(&problem), devices_(devices) {
  Reset(placement);
}

void DeviceLoads::Reset(const Placement& placement) {
  const int nodes = problem_->num_nodes();
  placement_ = placement;
  node_device_.resize(nodes);
  loads_.assign(devices_, 0);
  bytes_.assign(devices_, 0);
  edges_.assign(static_cast<size_t>(devices_) * devices_, 0);
  successors_on_.assign(static_cast<size_t>(nodes) * devices_, 0);
  cpu_nodes_.clear();
  place_in_cpu_nodes_.assign(nodes, -1);
  for (int v = 0; v < nodes; ++v) node_device_[v] = placement[problem_->nodes()[v].group];
  for (int v = 0; v < nodes; ++v) {
    const PlacementNode& node = problem_->nodes()[v];
    const int at = node_device_[v];
    loads_[at] += problem_->is_accelerator(at) ? node.accelerator_time : node.cpu_time;
    bytes_[at] += node.bytes;
    MoveInCpuNodes(v, at);
    for (const int reader : problem_->successors(v)) {
      ++edges_[at * devices_ + node_device_[reader]];
      ++successors_on_[v * devices_ + node_device_[reader]];
    }
    bool read_outside = false;
    for (int d = 0; d < devices_; ++d) {
      if (d == at || successors_on(v, d) == 0) continue;
      AddLoad(d, node.output_cost);
      read_outside = true;
    }
    if (read_outside) AddLoad(at, node.output_cost);
  }
}

void DeviceLoads::Move(int group, int device) {
  const int from = placement_[group];
  if (from == device) return;
  for (const int node : problem_->groups()[group].nodes) MoveNode(node, from, device);
  placement_[group] = device;
}

double DeviceLoads::LargestLoad() const {
  return loads_.empty() ? 0 : std::max(*std::max_element(loads_.begin(), loads_.end()), 0.0);
}

bool DeviceLoads::Fits(int device) const {
  return !problem_->is_accelerator(device) || bytes_[device] <= problem_->devices().accelerator_bytes;
}

void DeviceLoads::MoveNode(int v, int from, int to) {
  const PlacementNode& node = problem_->nodes()[v];
  MoveReads(v, from, to);
  MoveOutput(v, from, to);
  MoveInCpuNodes(v, to);
  loads_[from] -= problem_->is_accelerator(from) ? node.accelerator_time : node.cpu_time;
  loads_[to] += problem_->is_accelerator(to) ? node.accelerator_time : node.cpu_time;
  bytes_[from] -= node.bytes;
  bytes_[to] += node.bytes;
  node_device_[v] = to;
}

// Accounts for the edges into the node.
void DeviceLoads::MoveReads(int v, int from, int to) {
  for (const int source : problem_->predecessors(v)) {
    const int at = node_device_[source];
    const double cost = problem_->nodes()[source].output_cost;
    const int all = static_cast<int>(problem_->successors(source).size());
    int* on = &successors_on_[source * devices_];
    --edges_[at * devices_ + from];
    ++edges_[at * devices_ + to];
    if (--on[from] == 0 && from != at) AddLoad(from, -cost);
    if (on[to]++ == 0 && to != at) AddLoad(to, cost);
    if (from == at && all - on[at] == 1) AddLoad(at, cost);
    if (to == at && all == on[at]) AddLoad(at, -cost);
  }
}

// Accounts for the edges out of the node, whose readers stay.
void DeviceLoads::MoveOutput(int v, int from, int to) {
  const int all = static_cast<int>(problem_->successors(v).size());
  if (all == 0) return;
  const double cost = problem_->nodes()[v].output_cost;
  const int* on = &successors_on_[v * devices_];
  if (all > on[from]) AddLoad(from, -cost);
  if (on[from] > 0) AddLoad(from, cost);
  if (on[to] > 0) AddLoad(to, -cost);
  if (all > on[to]) AddLoad(to, cost);
  for (int d = 0; d < devices_; ++d) {
    edges_[from * devices_ + d] -= on[d];
    edges_[to * devices_ + d] += on[d];
  }
}

void DeviceLoads::MoveInCpuNodes(int v, int to) {
  const bool was = place_in_cpu_nodes_[v] >= 0;
  const bool is = !problem_->is_accelerator(to);
  if (is && !was) {
    place_in_cpu_nodes_[v] = static_cast<int>(cpu_nodes_.size());
    cpu_nodes_.push_back(v);
  } else if (was && !is) {
    const int last = cpu_nodes_.back();
    cpu_nodes_[place_in_cpu_nodes_[v]] = last;
    place_in_cpu_nodes_[last] = place_in_cpu_nodes_[v];
    place_in_cpu_nodes_[v] = -1;
    cpu_nodes_.pop_back();
  }
}

}  // namespace dfrun
