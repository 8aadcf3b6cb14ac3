#include "jobs/plan/task_times.h"

#include <limits>

#include "jobs/plan/replica_nodes.h"
#include "src/costs/predict.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/partition/message_nodes.h"
#include "src/placement/feasible_devices.h"

namespace dfrun::jobs {

TaskTimes::TaskTimes(const Cluster& cluster, const CostTable& costs)
    : costs_(costs), kernels_(KernelRegistry::Builtin(), TypesOf(cluster)) {}

double TaskTimes::On(const std::string& type, const Graph& graph, const Node& node) const {
  return ExecutorTime(node, costs_) + (IsEnd(node) ? 0 : NodeTime(graph, node, type, costs_).seconds);
}

std::vector<double> TaskTimes::ByType(const Graph& graph, const Node& node, const std::string& type, double here_s) {
  if (IsOfMessage(node)) return std::vector<double>(types().size(), 0);
  std::vector<double> seconds(types().size(), std::numeric_limits<double>::infinity());
  const DeviceTypes has_kernel = kernels_.TypesFor(node);
  for (size_t i = 0; i < seconds.size(); ++i) {
    if (types()[i] == type) {
      seconds[i] = here_s;
    } else if ((has_kernel >> i & 1) != 0) {
      seconds[i] = On(types()[i], graph, node);
    }
  }
  return seconds;
}

}  // namespace dfrun::jobs
