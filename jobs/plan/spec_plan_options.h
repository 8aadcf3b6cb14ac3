// The options of the commands that look at a job before it runs: `plan SPEC` and `explain`.
#ifndef DFRUN_JOBS_PLAN_SPEC_PLAN_OPTIONS_H_
#define DFRUN_JOBS_PLAN_SPEC_PLAN_OPTIONS_H_

#include <string>
#include <vector>

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

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_SPEC_PLAN_OPTIONS_H_
