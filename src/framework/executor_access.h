// ExecutorAccess: who runs kernels fills in an OpContext through it (the executor, constant folding, tests' evaluator).
// Kernels never include this.
// Thread safety: as the context, which belongs to the thread that runs the node.
#ifndef DFRUN_SRC_FRAMEWORK_EXECUTOR_ACCESS_H_
#define DFRUN_SRC_FRAMEWORK_EXECUTOR_ACCESS_H_

#include <utility>

#include "src/framework/kernel.h"

namespace dfrun {

class ExecutorAccess {
 public:
  // What stays the same from node to node of a step. Everything outlives the context.
  static void SetStep(OpContext& ctx, Tensor* slots, Device* device, ThreadPool* pool, const StepContext* step) {
    ctx.slots_ = slots;
    ctx.device_ = device;
    ctx.pool_ = pool;
    ctx.step_ = step;
  }
  // The node: `in` holds its inputs' slot numbers, `out` is its first output; bit i of `forwardable` says that it is
  // the last reader of input i. Clears deadness.
  static void SetNode(OpContext& ctx, const NodeInfo* node, const uint32_t* in, Tensor* out, uint64_t forwardable) {
    ctx.node_ = node;
    ctx.in_ = in;
    ctx.out_ = out;
    ctx.forwardable_ = forwardable;
    ctx.dead_outputs_ = 0;
    ctx.is_dead_ = false;
  }
  static void SetDead(OpContext& ctx, bool is_dead) { ctx.is_dead_ = is_dead; }
  // Bit i: the kernel said that output i is dead.
  static uint64_t dead_outputs(const OpContext& ctx) { return ctx.dead_outputs_; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_EXECUTOR_ACCESS_H_
