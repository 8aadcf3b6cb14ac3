// Work that the run loop does for nodes besides calling their kernels.
#ifndef DFRUN_SRC_EXECUTOR_STEP_NODE_ACTIONS_H_
#define DFRUN_SRC_EXECUTOR_STEP_NODE_ACTIONS_H_

#include "src/executor/plan/plan.h"
#include "src/executor/step/run_args.h"

namespace dfrun {

// The error with the node, its op and its device before it.
Status AtNode(const ExecPlan& plan, uint32_t node, const Status& status);

// Returns FailedPrecondition if a ref that the node reads has no value and its op does not allow that.
Status CheckRefs(const ExecPlan& plan, uint32_t node, const Tensor* slots);

// Replaces an update that is left out: its output is its first input, the unchanged variable.
void HandOnVariable(const ExecPlan& plan, uint32_t node, Tensor* slots);

// Hands the value of a slot out as an owned tensor of host memory; for a ref, a copy of the variable's current value.
Status StoreFetch(const Tensor& slot, Device& device, Tensor& fetch);

// Records a node that ran, with the bytes that it moved if it is a Send or a Recv, where `args` have a trace. `record`
// holds the facts that the caller knows: the iteration, when the node began and whether it is asynchronous.
void TraceNode(const RunArgs& args, const ExecPlan& plan, uint32_t node, const Tensor* slots, TraceRecord record);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_NODE_ACTIONS_H_
