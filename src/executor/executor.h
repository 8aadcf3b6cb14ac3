// Runs one step of a plan.
#ifndef DFRUN_SRC_EXECUTOR_EXECUTOR_H_
#define DFRUN_SRC_EXECUTOR_EXECUTOR_H_

#include "src/executor/plan/plan.h"
#include "src/executor/step/run_args.h"
#include "src/executor/step/worker_pool.h"

namespace dfrun {

// Runs a step and returns when nothing of it is left anywhere: every kernel has returned and every callback has run.
//
// Blocks: the calling thread takes part in the work, and meanwhile may run parts of other steps on the same pool.
// Errors: the first error in time is returned, annotated with node, op and device. It stops the step, aborts
// args.step's rendezvous, cancels all waits, and leaves fetches undefined.
// Thread safety: any thread; any number of steps on one plan and one pool at a time.
//
// Kernels take denormal numbers as zero; the caller's own mode stays.
Status RunPlan(ExecPlan& plan, WorkerPool& pool, const RunArgs& args);

// Starts a step like RunPlan, but returns once the step runs on other threads or waits. `done` runs once, on the thread
// that ends the step, which may be the caller before StartPlan returns. Everything that `args` points to must live
// until then. A pool of one thread runs the step only while some thread is in RunPlan() or WorkerPool::HelpUntil().
void StartPlan(ExecPlan& plan, WorkerPool& pool, const RunArgs& args, Callback done);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_EXECUTOR_H_
