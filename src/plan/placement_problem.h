// A placement problem: nodes with costs, groups of nodes that share a device, and devices.
//
// The model is that of Tarnawski et al., "Efficient Algorithms for Device Placement of DNN Graph Operators" (NeurIPS
// 2020). Devices are accelerators 0, 1, ..., which are equal and have bounded memory, and after them CPU cores, which
// are equal and have memory without a bound. All times share one unit; sizes are bytes.
// Thread safety: const methods from any thread.
#ifndef DFRUN_SRC_PLAN_PLACEMENT_PROBLEM_H_
#define DFRUN_SRC_PLAN_PLACEMENT_PROBLEM_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

enum class PlacementObjective {
  kThroughput,  // the largest load of a device, where samples follow each other as in a pipeline
  kLatency      // the time of one pass, where an accelerator runs all of its nodes in one invocation
};

struct PlacementNode {
  std::string name;  // for errors
  double cpu_time = 0;
  double accelerator_time = 0;
  double bytes = 0;        // on an accelerator
  double output_cost = 0;  // time to move the output between an accelerator and the host
  bool runs_on_accelerator = true;
  int group = 0;  // nodes of one group share a device; groups are numbered from 0 without gaps
};

struct PlacementDevices {
  int accelerators = 0;
  int cpus = 0;
  double accelerator_bytes = 0;  // memory of each accelerator
};

// A group of nodes, and the sums over them.
struct PlacementGroup {
  std::vector<int> nodes;
  double cpu_time = 0;
  double accelerator_time = 0;
  double bytes = 0;
  bool runs_on_accelerator = true;
};

// The device of each group.
using Placement = std::vector<int>;

class PlacementProblem {
 public:
  // An edge leads from a node to one that reads its output; one that is given twice counts once. InvalidArgument where
  // a number is negative, not finite or above kMaxNumber, where a node reads its own output, where there is no device,
  // and where a group runs on none.
  static Result<PlacementProblem> Create(std::vector<PlacementNode> nodes,
                                         const std::vector<std::pair<int, int>>& edges, PlacementDevices devices);

  // Sums of so many numbers stay exact enough.
  static constexpr double kMaxNumber = 1e18;
  static constexpr int kMaxDevices = 1024;

  const std::vector<PlacementNode>& nodes() const { return nodes_; }
  const std::vector<PlacementGroup>& groups() const { return groups_; }
  const PlacementDevices& devices() const { return devices_; }
  // Distinct nodes that read the node's output, and whose outputs it reads.
  const std::vector<int>& successors(int node) const { return successors_[node]; }
  const std::vector<int>& predecessors(int node) const { return predecessors_[node]; }
  // A topological order of the nodes; where there are cycles, their nodes and those behind them are at its end.
  const std::vector<int>& order() const { return order_; }
  bool acyclic() const { return acyclic_; }

  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  int num_groups() const { return static_cast<int>(groups_.size()); }
  // Devices that differ for the objective. Cores are enough for any pass, so that all are one device for kLatency.
  int num_devices(PlacementObjective objective) const;
  bool is_accelerator(int device) const { return device < devices_.accelerators; }
  // True if the group alone fits on the device.
  bool Runs(int group, int device) const;
  // "accelerator:0" or "cpu:0".
  std::string DeviceName(int device) const;

 private:
  PlacementProblem() = default;

  Status CheckNodes() const;
  Status CheckGroups() const;
  void AddEdges(const std::vector<std::pair<int, int>>& edges);
  void AddGroups();
  void FindOrder();

  std::vector<PlacementNode> nodes_;
  std::vector<PlacementGroup> groups_;
  PlacementDevices devices_;
  std::vector<std::vector<int>> successors_;
  std::vector<std::vector<int>> predecessors_;
  std::vector<int> order_;
  bool acyclic_ = true;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PLACEMENT_PROBLEM_H_
