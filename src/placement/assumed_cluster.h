// An assumed cluster, whose ranks do not run, for graphs that are only compiled.
#ifndef DFRUN_SRC_PLACEMENT_ASSUMED_CLUSTER_H_
#define DFRUN_SRC_PLACEMENT_ASSUMED_CLUSTER_H_

#include <vector>

#include "src/framework/device/device_report.h"
#include "src/graph/graph.h"
#include "src/placement/cluster.h"

namespace dfrun {

// The cluster of `jobs` and `ranks`, whose tasks have one device of the host's type each and of every other registered
// type as many as `counts` says; of a type that it does not count, those that nodes of `graph` name for the task.
// Errors as AssignTasks().
Result<Cluster> AssumeCluster(const std::vector<JobTasks>& jobs, int ranks, const DeviceCounts& counts,
                              const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_ASSUMED_CLUSTER_H_
