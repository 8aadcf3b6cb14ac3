// What cards launch as a whole in a compiled step, for commands that run without them.
#ifndef DFRUN_JOBS_LIST_UNITS_H_
#define DFRUN_JOBS_LIST_UNITS_H_

#include <string>
#include <vector>

#include "src/partition/partition.h"

namespace dfrun::jobs {

// Lines for the partitions of devices with memory of their own, as src/executor/unit_listing.h has them.
Result<std::string> ListUnits(const std::vector<Partition>& partitions);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_LIST_UNITS_H_
