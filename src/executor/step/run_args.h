// The arguments of a step.
#ifndef DFRUN_SRC_EXECUTOR_STEP_RUN_ARGS_H_
#define DFRUN_SRC_EXECUTOR_STEP_RUN_ARGS_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "src/framework/step/step_context.h"
#include "src/framework/step/trace_sink.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

class NumericsCheck;

// Findings of the gates of a step (src/graph/update_gate.h).
// Thread safety: any thread.
class WithheldUpdates {
 public:
  // A gate has found a value; of a group, or 0.
  void Withhold(int32_t found, uint32_t group) {
    found_.store(found, std::memory_order_relaxed);
    groups_.fetch_or(group == 0 ? ~uint64_t{0} : uint64_t{1} << group, std::memory_order_relaxed);
  }
  // Whether an update of a group, or of none, is left out.
  bool Has(uint32_t group) const { return (groups_.load(std::memory_order_relaxed) >> group & 1) != 0; }
  // The finding of one of the gates that found a value, 0 where none did, for the step that has ended.
  int32_t Take() {
    groups_.store(0, std::memory_order_relaxed);
    return found_.exchange(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<int32_t> found_{0};
  std::atomic<uint64_t> groups_{0};  // a bit a group; bit 0: updates without one
};

struct RunArgs {
  std::span<const Tensor> feeds;  // by _Arg index; dtype and shape as the plan's feed(i) says
  std::span<Tensor> fetches;      // by _Retval index; set to owned tensors
  StepContext step;
  TraceSink* trace = nullptr;         // null: no tracing; else it outlives the step
  NumericsCheck* numerics = nullptr;  // null: no node's values are looked at; else it outlives the step
  // Nothing before the step. All plans of one rank share it: any of them may set it. Null: the plan has one of its own.
  WithheldUpdates* withheld = nullptr;
  int32_t slot = 0;  // TraceRecord::slot
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_RUN_ARGS_H_
