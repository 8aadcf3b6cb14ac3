// What the kernels of a step read and write: slots, counters, and the arena of placed values.
#ifndef DFRUN_SRC_EXECUTOR_STEP_VALUES_H_
#define DFRUN_SRC_EXECUTOR_STEP_VALUES_H_

#include <memory>
#include <vector>

#include "src/executor/plan.h"

namespace dfrun {

// Thread safety: the run loop's rules; see there.
class StepValues {
 public:
  // ResourceExhausted if there is no memory for the arena. The plan must outlive it.
  static Result<std::unique_ptr<StepValues>> Create(const ExecPlan& plan);
  ~StepValues();
  StepValues(const StepValues&) = delete;
  StepValues& operator=(const StepValues&) = delete;

  // Counters as at the start of a step. Fixed and placed slots keep their headers, and counted ones are empty: a step
  // that went well has released them.
  void Reset();
  // Empties the counted slots: after a step that failed.
  void Release();

  Tensor* slots() { return slots_.data(); }
  // Inputs that a node still waits for, by node.
  int32_t* pending() { return pending_.data(); }
  // Nodes that have yet to read a slot, by Release::counter.
  int32_t* readers() { return readers_.data(); }

 private:
  explicit StepValues(const ExecPlan& plan);

  const ExecPlan& plan_;
  std::vector<Tensor> slots_;
  std::vector<int32_t> pending_;
  std::vector<int32_t> readers_;
  void* arena_ = nullptr;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_VALUES_H_
