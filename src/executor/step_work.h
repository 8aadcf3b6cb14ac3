// The pieces in which a step is worked on: a worker is a thread's share of it, an asynchronous op what is left of
// a kernel's call when its thread goes on.
#ifndef DFRUN_SRC_EXECUTOR_STEP_WORK_H_
#define DFRUN_SRC_EXECUTOR_STEP_WORK_H_

#include <cstdint>

#include "src/executor/frame_queue.h"
#include "src/executor/ready_queue.h"
#include "src/executor/worker_pool.h"
#include "src/framework/op_context.h"

namespace dfrun {

class StepState;

// What a pool runs of a step: a worker's queue; what the end of an op made ready.
struct StepResume {
  void (*worker)(Work* worker);
  void (*op)(Work* op);
};

// A thread's share of a step.
struct StepWorker : Work {
  StepWorker(StepState* owner, uint32_t nodes, const StepResume& resume)
      : Work{resume.worker}, step(owner), queue(nodes) {}
  StepState* step;
  ReadyQueue queue;        // of a plan without control flow
  FrameQueue frame_queue;  // of one with it
  StepWorker* next_idle = nullptr;
};

// A call of an asynchronous kernel, from its start until what it made ready has been found.
struct AsyncOp : Work {
  // Once, before its first call.
  void Bind(StepState* owner, const StepResume& resume) {
    run = resume.op;
    step = owner;
  }
  OpContext context;
  StepState* step = nullptr;
  Iteration* iteration = nullptr;  // with control flow
  Tensor* slots = nullptr;
  uint32_t node = 0;  // in the plan
  Status status;
  int64_t start_ns = 0;  // where the step is traced
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_WORK_H_
