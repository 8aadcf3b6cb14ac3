// The plan of a job: forecasts of its step over numbers of ranks, for `dfrun plan SPEC`.
#ifndef DFRUN_JOBS_PLAN_PLAN_OF_SPEC_H_
#define DFRUN_JOBS_PLAN_PLAN_OF_SPEC_H_

#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/framework/device/device_report.h"

namespace dfrun::jobs {

struct SpecPlanOptions {
  std::string spec;
  std::vector<std::string> sets;
  std::string ranks;  // "4" or "1,2,4"; "": as many as the job needs
  DeviceCounts devices;
  int ranks_per_node = 0;    // 0: all on one
  std::string cost_file;     // "": assumed speeds
  std::string cluster_file;  // "": as many ranks as are wanted, with `devices` and `ranks_per_node`
  bool json = false;
  // Whether one of many equal replicas may be compiled in the place of others (stamp_replicas.h). The plan is the same.
  bool stamps_replicas = true;
};

// Returns the text to print. BadSpec: as `dfrun check`; where the memory of a device, or what the spec grants of it, is
// not enough; where the cluster has fewer ranks; and where replicas run for themselves, whose steps overlap.
Result<std::string> PlanOfSpec(const SpecPlanOptions& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_PLAN_OF_SPEC_H_
