// Which task each variable lives on: the same in every graph of a job, on any rank count by name and shape alone.
#ifndef DFRUN_SRC_TRAINING_VARIABLE_PLACEMENT_H_
#define DFRUN_SRC_TRAINING_VARIABLE_PLACEMENT_H_

#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Where replicas are computed: full names of CPU devices, or of a task whose devices are chosen (device_choice.h) the
// task. Those of job "worker", or all that are no "ps".
std::vector<std::string> WorkerDevices(const Cluster& cluster);

// The one of `workers` that computes replica `replica` of `replicas`; those that follow each other are together.
const std::string& DeviceOfReplica(const std::vector<std::string>& workers, int replica, int replicas);

// Whether both, full names or those of a task, are of one task.
bool AreOfOneTask(const DeviceName& a, const DeviceName& b);

// Those on which no replica is computed, in their order.
Result<std::vector<int>> RanksWithoutReplicas(const TrainSpec& train, const Cluster& cluster);

// The device of each variable of `spec.job.variables`, in their order. Without a constraint of its own a trainable
// variable goes to the least loaded task (by bytes) of job "ps" or of the workers, as the spec says; where it does not
// say, and with `data_parallel: allreduce`, to one that computes replicas, but for a variable whose update takes longer
// than it would travel for; others to the first worker.
Result<std::vector<std::string>> DevicesOfVariables(const LoadedSpec& spec, const Cluster& cluster);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_VARIABLE_PLACEMENT_H_
