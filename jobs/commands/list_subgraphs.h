// A listing of the captured subgraphs that GPUs launch as a whole in a compiled step, for commands that run without
// GPUs.
#ifndef DFRUN_JOBS_COMMANDS_LIST_SUBGRAPHS_H_
#define DFRUN_JOBS_COMMANDS_LIST_SUBGRAPHS_H_

#include <string>
#include <vector>

#include "src/partition/partition.h"

namespace dfrun::jobs {

// Returns lines for the partitions of devices with memory of their own, in the form of
// src/executor/capture/subgraph_listing.h.
Result<std::string> ListSubgraphs(const std::vector<Partition>& partitions);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_LIST_SUBGRAPHS_H_
