// A snapshot of the nodes that a plan's steps wait for, taken by any thread while others run the steps.
//
// Its cost to the steps is two stores for each call of an asynchronous node; the rest is read from state that they keep
// anyway.
#ifndef DFRUN_SRC_EXECUTOR_STEP_PLAN_SNAPSHOT_H_
#define DFRUN_SRC_EXECUTOR_STEP_PLAN_SNAPSHOT_H_

#include <cstdint>
#include <vector>

#include "src/executor/plan/plan.h"
#include "src/executor/step/started_node.h"

namespace dfrun {

struct PlanSnapshot {
  // Steps in flight of which some node runs or is about to: not each of their threads has left them.
  int steps_at_work = 0;
  std::vector<StartedNode> started;  // a node appears once for each state and iteration that ran it
};

// Thread safety: any thread, while the plan lives.
PlanSnapshot LookAt(ExecPlan& plan);

// The nodes that cannot run before `node` has ended.
std::vector<uint32_t> NodesBehind(const ExecPlan& plan, uint32_t node);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_PLAN_SNAPSHOT_H_
