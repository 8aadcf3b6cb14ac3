// What holds a device's memory when it runs out.
#ifndef DFRUN_SRC_EXECUTOR_MEMORY_REPORT_H_
#define DFRUN_SRC_EXECUTOR_MEMORY_REPORT_H_

#include "src/executor/step_state.h"

namespace dfrun {

// The error of a node, and where that is a lack of memory of a device that has its own: how much is in use, the limit,
// and the largest tensors that the step holds, by the nodes that made them. Of a step that several threads run
// (`is_shared`), which others change meanwhile, the variables alone are told.
// Thread safety: the thread that runs the step, or one of those that do.
Status WithMemoryReport(const Status& at_node, StepState& step, bool is_shared);
// The same of a unit of nodes that one thread runs; `slots` as its plan numbers them.
Status WithMemoryReport(const Status& at_node, const ExecPlan& plan, const Tensor* slots);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_MEMORY_REPORT_H_
