// Decides of how many replicas a plan compiles the nodes.
#ifndef DFRUN_JOBS_PLAN_REPLICA_SITES_H_
#define DFRUN_JOBS_PLAN_REPLICA_SITES_H_

#include <optional>
#include <vector>

#include "src/base/status.h"
#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"

namespace dfrun::jobs {

// Devices beside those that hold more than a replica: one that is copied, and one that shows how copies differ.
inline constexpr int kShownDevices = 2;

// The devices that compute replicas, as many each. Those of the first are made (JobCompiler::SetMadeReplicas()): all
// that hold anything else, and kShownDevices more, of which the last stands for those behind it.
struct ReplicaSites {
  std::vector<ClusterDevice> devices;
  int made_devices = 0;
  int made_replicas = 0;
};

// Nothing where all replicas are to be made: there are few, their strategy is another than `sync` with parameter
// servers, they are not equal in number on all devices, or they have a choice of devices; or what else the job asks for
// tells them apart.
Result<std::optional<ReplicaSites>> FindReplicaSites(const LoadedSpec& spec, const Cluster& cluster);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_REPLICA_SITES_H_
