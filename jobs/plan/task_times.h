// The times of nodes in a plan: those of their kernels, and the executor's own.
#ifndef DFRUN_JOBS_PLAN_TASK_TIMES_H_
#define DFRUN_JOBS_PLAN_TASK_TIMES_H_

#include <string>
#include <vector>

#include "src/costs/cost_table.h"
#include "src/graph/graph.h"
#include "src/placement/cluster.h"
#include "src/placement/kernel_index.h"

namespace dfrun::jobs {

// Times are in seconds.
// Thread safety: one thread.
// Lifetime: the arguments outlive the object.
class TaskTimes {
 public:
  TaskTimes(const Cluster& cluster, const CostTable& costs);

  // The types of the cluster's devices, the host's first.
  const std::vector<std::string>& types() const { return kernels_.types(); }
  // The time on a device of the type. A Send or Recv takes the executor's alone.
  double On(const std::string& type, const Graph& graph, const Node& node) const;
  // The times by types(), infinity where there is no kernel; `here_s` is known of the type that the node is on. A node
  // that sends or receives, or does so in part, takes none, since other placements may do without it.
  std::vector<double> ByType(const Graph& graph, const Node& node, const std::string& type, double here_s);

 private:
  const CostTable& costs_;
  KernelIndex kernels_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_TASK_TIMES_H_
