// The executor's side of OpContext: it fills in the members before a kernel runs and reads them after. Constant folding
// and tests of kernels use it too, with an array of slots of their own.
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_EXECUTOR_ACCESS_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_EXECUTOR_ACCESS_H_

#include <utility>

#include "src/framework/kernel/op_context.h"

namespace dfrun {

// Thread safety: as an int. Nothing is owned: all that is passed must outlive the context's use.
class ExecutorAccess {
 public:
  // Sets the state that all nodes have in common which one thread runs in a step. `slots` holds every value of the
  // step.
  static void BindStep(OpContext& ctx, Tensor* slots, Device& device, ThreadPool& pool, const StepContext& step) {
    ctx.slots_ = slots;
    ctx.device_ = &device;
    ctx.pool_ = &pool;
    ctx.step_ = &step;
  }

  // Sets the pool of the nodes that run from now on.
  static void SetPool(OpContext& ctx, ThreadPool& pool) { ctx.pool_ = &pool; }

  // OpContext::iteration() of the nodes that run until it is set again.
  static void SetIteration(OpContext& ctx, uint64_t iteration) { ctx.iteration_ = iteration; }

  // The node to run next. Input i is slots[inputs[i]]; output i is outputs[i]. Bit i of `forwardable`: nothing reads
  // input i after this node (ForwardOrAllocate may take its buffer).
  static void BindNode(OpContext& ctx, const NodeInfo& node, const uint32_t* inputs, Tensor* outputs,
                       uint64_t forwardable) {
    ctx.node_ = &node;
    ctx.in_ = inputs;
    ctx.out_ = outputs;
    ctx.forwardable_ = forwardable;
  }

  // Deadness of the node's inputs going in, and of its outputs coming out.
  static void SetDead(OpContext& ctx, bool is_dead) {
    ctx.is_dead_ = is_dead;
    ctx.outputs_dead_ = false;
  }
  static bool OutputsDead(const OpContext& ctx) { return ctx.outputs_dead_; }

  // Whether the kernel that ran has enqueued its work (OpContext::SetEnqueued); forgets it.
  static bool TakeEnqueued(OpContext& ctx) { return std::exchange(ctx.is_enqueued_, false); }

  // Output i as the kernel left it.
  static const Tensor& Output(const OpContext& ctx, int i) { return ctx.out_[i]; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_EXECUTOR_ACCESS_H_
