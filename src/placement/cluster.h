// The devices of a job, each with the rank that it belongs to.
#ifndef DFRUN_SRC_PLACEMENT_CLUSTER_H_
#define DFRUN_SRC_PLACEMENT_CLUSTER_H_

#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/framework/device.h"

namespace dfrun {

struct ClusterDevice {
  DeviceName name;  // full
  int rank;
};

// Devices in the order of the ranks, those of the host's type first within a rank: devices[0] is rank 0's cpu:0.
struct Cluster {
  std::vector<ClusterDevice> devices;

  // "/job:ps/task:0/device:cpu:0, /job:worker/task:0/device:cpu:0, ...": a list for messages.
  std::string ListDevices(size_t max_devices = 8) const;
};

// An entry of the spec's `cluster: {jobs: {ps: 1, worker: rest}}`.
struct JobTasks {
  static constexpr int kRest = -1;
  std::string job;
  int tasks = kRest;
};

// Gives ranks to jobs in the order of `jobs`; each rank is one task with one device of each registered type (cpu:0),
// and the tasks of a job count from 0. At most one job takes the ranks that are left, of which there may be none.
// Without jobs every rank is a task of "worker". InvalidArgument: names that are no identifiers or are doubled, fewer
// ranks than the jobs need, ranks left over.
Result<Cluster> MakeCluster(const std::vector<JobTasks>& jobs, int ranks);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_CLUSTER_H_
