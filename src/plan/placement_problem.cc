#include "src/plan/placement_problem.h"

#include <algorithm>
#include <initializer_list>

#include "src/base/sort_unique.h"

namespace dfrun {
namespace {

bool IsProblemNumber(double value) {
  return value >= 0 && value <= PlacementProblem::kMaxNumber;
}

Status CheckNumbers(const std::string& of, std::initializer_list<std::pair<const char*, double>> numbers) {
  for (const auto& [name, value] : numbers) {
    if (IsProblemNumber(value)) continue;
    return InvalidArgument(of, ": ", name, " is ", value, "; it must be from 0 to ", PlacementProblem::kMaxNumber);
  }
  return Status();
}

}  // namespace

Result<PlacementProblem> PlacementProblem::Create(std::vector<PlacementNode> nodes,
                                                  const std::vector<std::pair<int, int>>& edges,
                                                  PlacementDevices devices) {
  DF_TRY(CheckNumbers("devices", {{"memory of an accelerator", devices.accelerator_bytes}}));
  if (devices.accelerators < 0 || devices.cpus < 0 || devices.accelerators + devices.cpus < 1 ||
      devices.accelerators > kMaxDevices || devices.cpus > kMaxDevices) {
    return InvalidArgument("devices: ", devices.accelerators, " accelerators and ", devices.cpus,
                           " CPU cores; there must be a device, and at most ", kMaxDevices, " of each kind");
  }
  PlacementProblem problem;
  for (const auto& [from, to] : edges) {
    if (from == to) return InvalidArgument(nodes[from].name, ": it reads its own output");
  }
  problem.nodes_ = std::move(nodes);
  problem.devices_ = devices;
  DF_TRY(problem.CheckNodes());
  problem.AddEdges(edges);
  problem.AddGroups();
  DF_TRY(problem.CheckGroups());
  problem.FindOrder();
  return problem;
}

Status PlacementProblem::CheckNodes() const {
  for (const PlacementNode& node : nodes_) {
    DF_TRY(CheckNumbers(node.name, {{"time on a CPU", node.cpu_time},
                                    {"time on an accelerator", node.accelerator_time},
                                    {"size", node.bytes},
                                    {"cost of its output", node.output_cost}}));
  }
  return Status();
}

Status PlacementProblem::CheckGroups() const {
  if (devices_.cpus > 0) return Status();
  for (const PlacementGroup& group : groups_) {
    const std::string& name = nodes_[group.nodes[0]].name;
    if (!group.runs_on_accelerator) {
      return InvalidArgument(name, " and the nodes that share its device run on no accelerator, and there is no CPU");
    }
    if (group.bytes > devices_.accelerator_bytes) {
      return InvalidArgument(name, " and the nodes that share its device need ", group.bytes,
                             " bytes, an accelerator has ", devices_.accelerator_bytes, ", and there is no CPU");
    }
  }
  return Status();
}

void PlacementProblem::AddEdges(const std::vector<std::pair<int, int>>& edges) {
  successors_.resize(nodes_.size());
  predecessors_.resize(nodes_.size());
  std::vector<std::pair<int, int>> distinct = edges;
  SortUnique(distinct);
  for (const auto& [from, to] : distinct) {
    successors_[from].push_back(to);
    predecessors_[to].push_back(from);
  }
}

void PlacementProblem::AddGroups() {
  for (int i = 0; i < num_nodes(); ++i) {
    const PlacementNode& node = nodes_[i];
    if (static_cast<size_t>(node.group) >= groups_.size()) groups_.resize(node.group + 1);
    PlacementGroup& group = groups_[node.group];
    group.nodes.push_back(i);
    group.cpu_time += node.cpu_time;
    group.accelerator_time += node.accelerator_time;
    group.bytes += node.bytes;
    group.runs_on_accelerator = group.runs_on_accelerator && node.runs_on_accelerator;
  }
}

// Kahn's algorithm.
void PlacementProblem::FindOrder() {
  std::vector<size_t> waits_for(nodes_.size());
  std::vector<bool> placed(nodes_.size());
  for (int i = 0; i < num_nodes(); ++i) {
    waits_for[i] = predecessors_[i].size();
    if (waits_for[i] == 0) order_.push_back(i);
  }
  for (size_t at = 0; at < order_.size(); ++at) {
    placed[order_[at]] = true;
    for (const int next : successors_[order_[at]]) {
      if (--waits_for[next] == 0) order_.push_back(next);
    }
  }
  acyclic_ = order_.size() == nodes_.size();
  for (int i = 0; i < num_nodes(); ++i) {
    if (!placed[i]) order_.push_back(i);
  }
}

int PlacementProblem::num_devices(PlacementObjective objective) const {
  const int cpus = objective == PlacementObjective::kLatency ? std::min(devices_.cpus, 1) : devices_.cpus;
  return devices_.accelerators + cpus;
}

bool PlacementProblem::Runs(int group, int device) const {
  if (!is_accelerator(device)) return true;
  return groups_[group].runs_on_accelerator && groups_[group].bytes <= devices_.accelerator_bytes;
}

std::string PlacementProblem::DeviceName(int device) const {
  if (is_accelerator(device)) return StrCat("accelerator:", device);
  return StrCat("cpu:", device - devices_.accelerators);
}

}  // namespace dfrun
