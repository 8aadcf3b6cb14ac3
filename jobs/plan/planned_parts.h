// The parts of a step of which a plan tells, some of them as copies of others.
#ifndef DFRUN_JOBS_PLAN_PLANNED_PARTS_H_
#define DFRUN_JOBS_PLAN_PLANNED_PARTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "jobs/plan/numbered_name.h"
#include "src/partition/partition.h"

namespace dfrun::jobs {

// How the copies of a part differ from it, beside their devices.
struct PartCopies {
  std::vector<NumberedName> names;     // by node
  std::vector<int64_t> channel_steps;  // by node: the channel of the next copy less that of this one
  std::vector<std::pair<std::string, NumberedName>> frames;  // loops, by their frames in the part
};

// The part of a step on one device.
// Lifetime: partition and copies outlive it.
struct PlannedPart {
  const Partition* partition = nullptr;  // its own, or the one of which it is a copy
  std::string device;
  int rank = 0;
  const PartCopies* copies = nullptr;  // null: the partition is its own
  int copy = 0;                        // copies count from 1

  const Graph& graph() const { return partition->graph; }
  std::string NameOf(const Node& node) const {
    return copies == nullptr ? node.name : copies->names[static_cast<size_t>(node.id)].OfCopy(copy);
  }
  // The channel of a Send or Recv, which has `channel` in the partition.
  int64_t ChannelOf(const Node& node, int64_t channel) const {
    return copies == nullptr ? channel : channel + copy * copies->channel_steps[static_cast<size_t>(node.id)];
  }
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_PLANNED_PARTS_H_
