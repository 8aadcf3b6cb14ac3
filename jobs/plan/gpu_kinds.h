// The speeds of known GPUs, for plans of hosts that are not there to be measured.
#ifndef DFRUN_JOBS_PLAN_GPU_KINDS_H_
#define DFRUN_JOBS_PLAN_GPU_KINDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/costs/cost_table.h"

namespace dfrun::jobs {

// Returns the speed of each node on a GPU of the kind; nothing for a kind that is not known.
// Thread safety: any thread.
std::optional<NodeSpeed> SpeedOfGpuKind(std::string_view kind);

// The kinds that are known.
std::vector<std::string> GpuKinds();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_GPU_KINDS_H_
