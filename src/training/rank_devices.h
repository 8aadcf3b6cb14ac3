// Devices of ranks, by the constraints of nodes whose devices have been chosen.
#ifndef DFRUN_SRC_TRAINING_RANK_DEVICES_H_
#define DFRUN_SRC_TRAINING_RANK_DEVICES_H_

#include <string>

#include "src/placement/cluster.h"

namespace dfrun {

// The rank of the first device that fits the constraint; that of the first of all where none does.
Result<int> RankOf(const Cluster& cluster, const std::string& constraint);

// The full name of the CPU of a rank, which is the first of its devices.
std::string CpuOf(const Cluster& cluster, int rank);

// The CPU of the rank of a device, or of a constraint.
Result<std::string> HostOf(const Cluster& cluster, const std::string& device);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_RANK_DEVICES_H_
