// What the steps of a plan wait for, as any thread may look at it while others run them.
//
// It costs the steps two stores a call of an asynchronous node; all else is read from what they have anyway.
#ifndef DFRUN_SRC_EXECUTOR_PLAN_LOOK_H_
#define DFRUN_SRC_EXECUTOR_PLAN_LOOK_H_

#include <cstdint>
#include <vector>

#include "src/executor/plan.h"
#include "src/executor/started_node.h"

namespace dfrun {

struct PlanLook {
  // Steps in flight of which some node runs or is about to: not each of their threads has left them.
  int steps_at_work = 0;
  std::vector<StartedNode> started;  // of a node once for each state and iteration that has run it
};

// Thread safety: any thread, while the plan lives.
PlanLook LookAt(ExecPlan& plan);

// The nodes that cannot run before `node` has ended.
std::vector<uint32_t> NodesBehind(const ExecPlan& plan, uint32_t node);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLAN_LOOK_H_
