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

struct RunArgs {
  std::span<const Tensor> feeds;  // by _Arg index; dtype and shape as the plan's feed(i) says
  std::span<Tensor> fetches;      // by _Retval index; set to owned tensors
  StepContext step;
  TraceSink* trace = nullptr;         // null: no tracing; else it outlives the step
  NumericsCheck* numerics = nullptr;  // null: no node's values are looked at; else it outlives the step
  // 0 before the step; then the finding of a gate that withheld updates (src/graph/update_gate.h). All plans of one
  // rank share it: any of them may set it. Null: the plan has one of its own.
  std::atomic<int32_t>* withheld = nullptr;
  int32_t slot = 0;  // TraceRecord::slot
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_RUN_ARGS_H_
