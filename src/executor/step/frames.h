// Loops of a step in flight: frames, and the iterations in them.
//
// A frame begins with the first Enter that reaches it and holds the entered values until all its Enters have come; then
// its iteration 0 begins. A NextIteration begins the iteration after its own, unless parallel_iterations are under way:
// then its value waits. A dead one begins no iteration; if another NextIteration does, the output of the dead one is
// dead there. An iteration ends when nothing of it is ready or running, no frame inside it is left, and the iterations
// before it have ended; a frame ends with its last iteration, and Exits that were not reached alive are dead then.
//
// Thread safety: in a shared step, frames are made, begun and ended under Frames::mu(); an iteration's `outstanding`
// and its nodes' counters are atomic; all else of an iteration belongs to the nodes that the graph lets run. An
// iteration or frame that has ended is used again in the same step, so a late look at it, under the lock, sees a state
// that is true of its present use.
#ifndef DFRUN_SRC_EXECUTOR_STEP_FRAMES_H_
#define DFRUN_SRC_EXECUTOR_STEP_FRAMES_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/executor/step/step_values.h"
#include "src/executor/step/step_work.h"

namespace dfrun {

struct FrameRun;

// Frame 0 has one, which is the step.
struct Iteration {
  const FramePlan* plan = nullptr;
  FrameRun* frame = nullptr;  // null: the step itself
  StepValues* values = nullptr;
  uint32_t first_node = 0;                // number in the plan's records
  uint64_t id = 0;                        // OpContext::iteration()
  AsyncOp* ops = nullptr;                 // by NodeDetail::index
  std::atomic<Iteration*> next{nullptr};  // the iteration after it, where it has begun
  int32_t outstanding = 0;                // nodes ready or running, and frames that have begun inside
  bool has_constants = false;             // the frame's constants stand in its slots
  bool has_dead_constants = false;
  const LoopProgram* program = nullptr;  // set: this iteration stands for all of its frame, in turn
  std::vector<FrameRun*> children;       // by FramePlan::child_index; null: not begun

  std::unique_ptr<StepValues> own_values;
  std::vector<AsyncOp> own_ops;
  const Iteration* made_before = nullptr;  // in Frames::made()
};

struct FrameRun {
  // OpContext::iteration() of the next iteration, the same on all devices. They count on from a hash of the iteration
  // around the frame, and are odd, since 0 is the step's.
  uint64_t NextId() { return next_id += 2; }
  // The turn of the iteration with this id, counted from 1.
  uint64_t TurnOf(uint64_t id) const { return (id - first_id) / 2; }

  // A value that an Enter brought. Iteration 0 takes the value over unless it is constant.
  struct Entered {
    const NodeRecord* enter = nullptr;
    Tensor value = {};
    bool is_constant = false;
    bool is_dead = false;
  };
  // A value that a NextIteration gave while no further iteration could begin.
  struct Waiting {
    const NodeRecord* next_iteration;
    Tensor value;
  };

  const FramePlan* plan = nullptr;
  Iteration* outer = nullptr;
  std::vector<Entered> entered;
  std::vector<Waiting> waiting;
  std::vector<const NodeRecord*> dead_ends;  // dead NextIterations of the newest iteration
  std::vector<uint8_t> exited;               // by Exit: 1 where a live value left
  Iteration* oldest = nullptr;               // the first of the iterations under way
  Iteration* newest = nullptr;
  int64_t num_running = 0;  // iterations under way
  uint64_t next_id = 0;
  uint64_t first_id = 0;                               // next_id before the first iteration
  bool has_begun = false;                              // iteration 0 has, and the frame has not ended
  std::vector<std::unique_ptr<Iteration>> iterations;  // all that it ever had
  std::vector<Iteration*> idle;
};

// Locks only where the step is shared.
class SCOPED_CAPABILITY FrameLock {
 public:
  FrameLock(Mutex& mu, bool is_shared) ACQUIRE(mu) NO_THREAD_SAFETY_ANALYSIS : mu_(is_shared ? &mu : nullptr) {
    if (mu_ != nullptr) mu_->Lock();
  }
  ~FrameLock() RELEASE() NO_THREAD_SAFETY_ANALYSIS {
    if (mu_ != nullptr) mu_->Unlock();
  }
  FrameLock(const FrameLock&) = delete;
  FrameLock& operator=(const FrameLock&) = delete;

 private:
  Mutex* const mu_;
};

// All frames of a step; they are reused by later steps of its plan.
class Frames {
 public:
  // Frames of a step whose frame 0 has these values and ops; plan, values and ops outlive the object. The ops of later
  // iterations are bound to `step` as well.
  Frames(const ExecPlan& plan, StepValues& root_values, std::vector<AsyncOp>& root_ops, StepState* step,
         const StepResume& resume);

  Mutex& mu() DF_THREAD_ANNOTATION(lock_returned(mu_)) { return mu_; }
  Iteration& root() { return root_; }
  // The last iteration that was made, from which made_before leads to all others, in use or not. The members that the
  // plan's frame decides never change.
  // Thread safety: any thread.
  const Iteration* made() const { return made_.load(std::memory_order_acquire); }
  // Ends the frames that a failed step has left, and prepares for the next step. Call after a step.
  void Reset() EXCLUDES(mu_);
  // The name of a frame that has not ended; empty if all have.
  std::string Unfinished() EXCLUDES(mu_);
  // "turn 3 of the loop 'while'" of an iteration under way, by its id; empty for that of the step.
  std::string TurnOf(uint64_t id) EXCLUDES(mu_);

  // The frame that an Enter of `outer` leads into, begun if it was not.
  FrameRun& Find(Iteration& outer, int32_t frame) REQUIRES(mu_);
  // The frame has ended: all its iterations have.
  void Retire(FrameRun& frame) REQUIRES(mu_);
  // Begins the next iteration of a frame, with the frame's constants in its slots. ResourceExhausted if there is no
  // memory for its values.
  Result<Iteration*> Begin(FrameRun& frame) REQUIRES(mu_);
  // The oldest iteration has ended: its values go, and its memory is free for another.
  void RetireOldest(FrameRun& frame) REQUIRES(mu_);

 private:
  Result<std::unique_ptr<Iteration>> Make(FrameRun& frame);
  static void SetConstants(Iteration& iteration);
  static void DropConstants(FrameRun& frame);
  size_t NumberOf(const FrameRun& frame) const;

  const ExecPlan& plan_;
  StepState* const step_;
  const StepResume& resume_;
  Iteration root_;
  std::atomic<const Iteration*> made_{nullptr};
  Mutex mu_;
  std::vector<std::unique_ptr<FrameRun>> all_ GUARDED_BY(mu_);
  std::vector<std::vector<FrameRun*>> idle_ GUARDED_BY(mu_);  // by frame of the plan
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_FRAMES_H_
