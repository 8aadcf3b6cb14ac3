// The memory of a step, or of an iteration of a loop, that kernels read and write: slots, counters, and the arena of
// placed values.
#ifndef DFRUN_SRC_EXECUTOR_STEP_STEP_VALUES_H_
#define DFRUN_SRC_EXECUTOR_STEP_STEP_VALUES_H_

#include <memory>
#include <vector>

#include "src/executor/plan/plan.h"

namespace dfrun {

// Thread safety: the run loop's rules; see there.
class StepValues {
 public:
  // Returns ResourceExhausted if there is no memory for the arena. The plan must outlive it.
  static Result<std::unique_ptr<StepValues>> Create(const ExecPlan& plan, const FramePlan& frame);
  ~StepValues();
  StepValues(const StepValues&) = delete;
  StepValues& operator=(const StepValues&) = delete;

  // Counters as at the start. Fixed and placed slots keep their headers, and counted ones are empty: a step without
  // control flow that went well has released them. `is_later`: for an iteration of a loop that is not its first.
  void Reset(bool is_later = false);
  // Empties the counted slots.
  void Release();

  Tensor* slots() { return slots_.data(); }
  // Inputs that a node still waits for, by node.
  int32_t* pending() { return pending_.data(); }
  // Nodes that have yet to read a slot, by Release::counter.
  int32_t* readers() { return readers_.data(); }
  // Notes by node, with control flow: 1 where an input was dead; for a Merge, 1 + the number of its live input.
  int32_t* notes() { return notes_.data(); }

 private:
  StepValues(const ExecPlan& plan, const ValueLayout& layout);

  const ValueLayout& layout_;
  Allocator& allocator_;
  std::vector<Tensor> slots_;
  std::vector<int32_t> pending_;
  std::vector<int32_t> readers_;
  std::vector<int32_t> notes_;
  void* arena_ = nullptr;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_STEP_VALUES_H_
