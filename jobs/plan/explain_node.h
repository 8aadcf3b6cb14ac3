// Why a node of a job's step is on its device, and what it would cost elsewhere, for `dfrun explain`.
#ifndef DFRUN_JOBS_PLAN_EXPLAIN_NODE_H_
#define DFRUN_JOBS_PLAN_EXPLAIN_NODE_H_

#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/framework/device/device_report.h"

namespace dfrun::jobs {

struct ExplainOptions {
  std::string spec;
  std::string node;
  std::vector<std::string> sets;
  int ranks = 0;  // 0: as many as the job needs
  DeviceCounts devices;
  int ranks_per_node = 0;  // 0: all on one
  std::string cost_file;   // "": assumed speeds, or the spec's
  bool json = false;
};

// Returns the text to print. Usage: the step has no such node. BadSpec: as `dfrun check`.
Result<std::string> ExplainNode(const ExplainOptions& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_EXPLAIN_NODE_H_
