// The plan of a placement graph, for `dfrun plan --graph`.
#ifndef DFRUN_JOBS_PLAN_PLAN_OF_GRAPH_H_
#define DFRUN_JOBS_PLAN_PLAN_OF_GRAPH_H_

#include <string>

#include "src/base/status.h"

namespace dfrun::jobs {

struct GraphPlanOptions {
  std::string graph;
  std::string objective = "throughput";
  int effort = 1;
  bool json = false;
};

// Returns the text to print. BadSpec: the graph is wrong, or its memory is not enough; usage errors of options.
Result<std::string> PlanOfGraph(const GraphPlanOptions& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_PLAN_OF_GRAPH_H_
