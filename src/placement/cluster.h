// The devices of a job, each with the rank that it belongs to.
#ifndef DFRUN_SRC_PLACEMENT_CLUSTER_H_
#define DFRUN_SRC_PLACEMENT_CLUSTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/framework/device/device.h"
#include "src/framework/device/device_report.h"

namespace dfrun {

struct ClusterDevice {
  DeviceName name;  // full
  int rank;
  // The device's report; see DeviceReport.
  int64_t memory_bytes = 0;
  bool has_own_memory = false;
  std::string description = {};
};

// Devices in the order of the ranks, those of the host's type first within a rank: devices[0] is rank 0's cpu:0.
struct Cluster {
  // The lack of a type of device on a rank.
  struct Absence {
    DeviceName task;
    int rank;
    std::string type;
    std::string reason;
  };
  std::vector<ClusterDevice> devices;
  std::vector<Absence> absences = {};

  // "/job:ps/task:0/device:cpu:0, /job:worker/task:0/device:cpu:0, ...": a list for messages.
  std::string ListDevices(size_t max_devices = 8) const;
  // Explains why no device matches a constraint, at the end of a message: "; rank 1 has no device of type gpu: no
  // driver"; empty where the reason is not known.
  std::string WhyNone(const DeviceName& constraint) const;
};

// Whether a device of the task `task` ("/job:worker/task:3") may match the constraint, by job and task.
bool MayBeOfTask(const DeviceName& constraint, const DeviceName& task);

// An entry of the spec's `cluster: {jobs: {ps: 1, worker: rest}}`.
struct JobTasks {
  static constexpr int kRest = -1;
  std::string job;
  int tasks = kRest;
};

// Gives ranks to jobs in the order of `jobs`: each rank is one task, and the tasks of a job count from 0. By rank, the
// names "/job:worker/task:3". At most one job takes the ranks that are left, of which there may be none. Without jobs
// every rank is a task of "worker". InvalidArgument: names that are no identifiers or are doubled, fewer ranks than the
// jobs need, ranks left over.
Result<std::vector<DeviceName>> AssignTasks(const std::vector<JobTasks>& jobs, int ranks);

// Makes the cluster of the tasks, by rank, with the devices that each has reported. Internal: a rank has not reported,
// or has no device of the host's type.
Result<Cluster> MakeCluster(const std::vector<DeviceName>& tasks, const std::vector<DevicesReport>& reports);

// Makes a cluster of ranks that have one device of the host's type each, and no other. Errors as AssignTasks().
Result<Cluster> MakeCluster(const std::vector<JobTasks>& jobs, int ranks);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_CLUSTER_H_
