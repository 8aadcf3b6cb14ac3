// Reports the tensors that hold a device's memory when an allocation fails.
#ifndef DFRUN_SRC_EXECUTOR_STEP_MEMORY_REPORT_H_
#define DFRUN_SRC_EXECUTOR_STEP_MEMORY_REPORT_H_

#include "src/executor/step/step_state.h"

namespace dfrun {

// The error of a node, and where that is a lack of memory of a device that has its own: how much is in use, the limit,
// and the largest tensors that the step holds, by the nodes that made them. Of a step that several threads run
// (`is_shared`), which others change meanwhile, the variables alone are told.
// Thread safety: the thread that runs the step, or one of those that do.
Status WithMemoryReport(const Status& at_node, StepState& step, bool is_shared);
// Reports likewise for a captured unit of nodes that one thread runs; `slots` are numbered as in its plan.
Status WithMemoryReport(const Status& at_node, const ExecPlan& plan, const Tensor* slots);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_MEMORY_REPORT_H_
