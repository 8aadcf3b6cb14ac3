// Chooses the task that each variable lives on. The choice is the same in every graph of a job, and for any number of
// ranks it depends on names and shapes alone.
#ifndef DFRUN_SRC_TRAINING_VARIABLE_PLACEMENT_H_
#define DFRUN_SRC_TRAINING_VARIABLE_PLACEMENT_H_

#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/node_placement.h"
#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// The devices that compute replicas, of job "worker", or of every job but "ps" where there is no "worker". Each is the
// full name of a CPU device or, for a task whose devices are chosen (device_choice.h), the name of the task.
std::vector<std::string> WorkerDevices(const Cluster& cluster);

// The one of `workers` that computes replica `replica` of `replicas`; those that follow each other are together.
const std::string& DeviceOfReplica(const std::vector<std::string>& workers, int replica, int replicas);

// Whether both, full names or those of a task, are of one task.
bool AreOfOneTask(const DeviceName& a, const DeviceName& b);

// The ranks on which no replica is computed, in order.
Result<std::vector<int>> RanksWithoutReplicas(const TrainSpec& train, const Cluster& cluster);

// The bytes of a variable's elements, as its shape has them.
int64_t VariableBytes(const Graph& graph, NodeId variable);

// Whether a placement may choose the variable's device: the spec binds it to none, it is no position of an input, and
// no replica has one of its own.
bool MayBePlaced(const LoadedSpec& spec, const VariableSpec& variable);

// The device of each variable of `spec.job.variables`, in their order. Without a constraint of its own a trainable
// variable, frozen or not, goes to the least loaded task (by bytes) of job "ps" or of the workers, as the spec says;
// where it does not say, and with `data_parallel: allreduce`, to one that computes replicas, but for a variable whose
// update takes longer than it would travel for; others to the first worker. `placement` counts
// before all of this.
Result<std::vector<std::string>> DevicesOfVariables(const LoadedSpec& spec, const Cluster& cluster,
                                                    const NodePlacement& placement = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_VARIABLE_PLACEMENT_H_
