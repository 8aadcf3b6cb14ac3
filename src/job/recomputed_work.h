// The effect of recomputation on the forecast of a job.
#ifndef DFRUN_SRC_JOB_RECOMPUTED_WORK_H_
#define DFRUN_SRC_JOB_RECOMPUTED_WORK_H_

#include <string>
#include <vector>

#include "src/job/memory_estimate.h"

namespace dfrun {

// A line for people on the parts of a step, with recomputation and without it: "recompute: about 2.10 MiB of values in
// a step instead of 6.30 MiB on /job:worker/task:0/device:cpu:0, for 18% more work". Work is the time of all nodes by
// their costs (src/graph/node_cost.h); of several devices the one whose step takes most memory without recomputation is
// named.
std::string DescribeRecomputation(const std::vector<DevicePart>& with, const std::vector<DevicePart>& without);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RECOMPUTED_WORK_H_
