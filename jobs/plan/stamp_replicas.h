// Completes the parts of a step of which the nodes of some replicas alone are made (replica_sites.h).
//
// Replicas are equal but for names, devices, slices of the batch, seeds and channels. So the part of the last device
// with replicas that are made stands for the parts of all devices behind it. The other parts get, for each of these,
// what they have for it: its Sends and Recvs, what lies between a Recv and the mean of the replicas' values, and
// an input of the mean where that one has been given again. They come in the order that a compilation of all replicas
// has: channels, nodes and names go on from the last but one device to the last, and so to those behind it.
#ifndef DFRUN_JOBS_PLAN_STAMP_REPLICAS_H_
#define DFRUN_JOBS_PLAN_STAMP_REPLICAS_H_

#include <optional>
#include <vector>

#include "jobs/plan/planned_parts.h"
#include "jobs/plan/replica_sites.h"
#include "src/partition/partition.h"

namespace dfrun::jobs {

// Completes the parts, in the order of the cluster, and tells how copies of the last of them differ from it. Nothing
// where the parts of the last two devices with replicas that are made, or what the others have for these, are not
// equal but for what tells replicas apart; or where the step has control flow or collectives. The parts are then to be
// compiled anew.
// Thread safety: any thread.
std::optional<PartCopies> StampReplicas(const ReplicaSites& sites, std::vector<Partition>& parts);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_STAMP_REPLICAS_H_
