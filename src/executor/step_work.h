// The pieces in which a step is worked on: a worker is a thread's share of it, an asynchronous op what is left of
// a kernel's call when its thread goes on.
#ifndef DFRUN_SRC_EXECUTOR_STEP_WORK_H_
#define DFRUN_SRC_EXECUTOR_STEP_WORK_H_

#include <atomic>
#include <cstdint>

#include "src/executor/frame_queue.h"
#include "src/executor/ready_queue.h"
#include "src/executor/worker_pool.h"
#include "src/framework/op_context.h"

namespace dfrun {

class StepState;

// Functions by which a pool resumes a step: `worker` runs a worker's queue, `op` the nodes that an op's end made ready.
struct StepResume {
  void (*worker)(Work* worker);
  void (*op)(Work* op);
};

// A thread's share of a step.
struct StepWorker : Work {
  StepWorker(StepState* owner, uint32_t nodes, const StepResume& resume)
      : Work{resume.worker}, step(owner), queue(nodes) {}
  StepState* step;
  ReadyQueue queue;        // for plans without control flow
  FrameQueue frame_queue;  // for plans with control flow
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
  int64_t start_ns = 0;  // set if the step is traced

  // For who looks at the step meanwhile (plan_look.h): the last step in which it was started, and, in the two low bits,
  // that it was and that it has ended there.
  static constexpr uint64_t kStarted = 1;
  static constexpr uint64_t kEnded = 2;
  void MarkStarted(int64_t step_id) {
    mark.store(static_cast<uint64_t>(step_id) << 2 | kStarted, std::memory_order_relaxed);
  }
  void MarkEnded() { mark.store(mark.load(std::memory_order_relaxed) | kEnded, std::memory_order_relaxed); }
  std::atomic<uint64_t> mark{0};
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_WORK_H_
