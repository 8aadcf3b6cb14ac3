// Ranks that a job has and does little with.
#ifndef DFRUN_SRC_JOB_IDLE_RANKS_H_
#define DFRUN_SRC_JOB_IDLE_RANKS_H_

#include <string>
#include <vector>

#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Returns a sentence about ranks that have nothing to compute, and those of a training that only hold variables; ""
// where there are none. `idle`: the ranks without any node of a step. Where the spec names jobs or devices it has
// itself decided which ranks hold variables.
std::string DescribeIdleRanks(const LoadedSpec& spec, const Cluster& cluster, const std::vector<int>& idle,
                              bool is_placed = false);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_IDLE_RANKS_H_
