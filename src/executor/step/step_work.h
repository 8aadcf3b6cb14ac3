// The pieces of work in a step: a worker is a thread's share of it, an asynchronous op the rest of a kernel's call
// after its thread has gone on.
#ifndef DFRUN_SRC_EXECUTOR_STEP_STEP_WORK_H_
#define DFRUN_SRC_EXECUTOR_STEP_STEP_WORK_H_

#include <atomic>
#include <cstdint>

#include "src/executor/step/frame_queue.h"
#include "src/executor/step/ready_queue.h"
#include "src/executor/step/worker_pool.h"
#include "src/framework/kernel/op_context.h"

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

// A call of an asynchronous kernel, from its start until the nodes that it made ready are known.
struct AsyncOp : Work {
  // Binds the op to its step; once, before its first call.
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

  // A mark for threads that look at the step meanwhile (plan_snapshot.h): the last step in which the op was started
  // and, in the two low bits, that it was started and that it has ended there.
  static constexpr uint64_t kStarted = 1;
  static constexpr uint64_t kEnded = 2;
  void MarkStarted(int64_t step_id) {
    mark.store(static_cast<uint64_t>(step_id) << 2 | kStarted, std::memory_order_relaxed);
  }
  void MarkEnded() { mark.store(mark.load(std::memory_order_relaxed) | kEnded, std::memory_order_relaxed); }
  std::atomic<uint64_t> mark{0};
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_STEP_WORK_H_
