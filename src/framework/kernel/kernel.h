// Kernels, which compute nodes on a device.
//
// A synchronous kernel is a class with
//     explicit MyKernel(KernelSetup& setup);      // reads attrs; setup.Fail() refuses
//     Status Compute(OpContext& ctx);             // called by any thread, by several steps at once
// and an asynchronous one (Recv, Dequeue, I/O) derives from AsyncKernel and has
//     void ComputeAsync(OpContext& ctx, Callback done);   // returns at once; ctx lives until done has run
// kernel_registry.h describes registration. On a device with memory of its own a synchronous kernel's work may end
// after its call (OpContext::SetEnqueued).
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_H_

#include <memory>
#include <type_traits>

#include "src/base/callback.h"
#include "src/framework/kernel/kernel_setup.h"
#include "src/framework/kernel/op_context.h"

namespace dfrun {

// The base of all kernels. One object serves a node of one plan.
// Thread safety: several steps may call a kernel at once.
class Kernel {
 public:
  using Fn = Status (*)(Kernel*, OpContext&);

  virtual ~Kernel() = default;
  // The function that the executor calls. A constructor may choose another with set_fn(), by the shapes that it sees.
  Fn fn() const { return fn_; }
  void set_fn(Fn fn) { fn_ = fn; }
  // The value of output 0 where it is the same in every step (Const, a ref to a variable): the executor then keeps it
  // in place and never runs the node. Uninitialised otherwise.
  virtual Tensor FixedOutput() const { return Tensor(); }
  // Whether a call takes roughly more than a microsecond: the executor publishes other ready nodes first.
  virtual bool IsExpensive() const { return false; }

 private:
  Fn fn_ = nullptr;
};

// The base of kernels whose calls return before their work has ended.
class AsyncKernel : public Kernel {
 public:
  virtual void ComputeAsync(OpContext& ctx, Callback done) = 0;
};

// A kernel class that shares or keeps buffers in its outputs (Identity, Reshape, ReadVariableOp) has
// `static constexpr bool kSharesOutputs = true`: the plan gives its outputs no memory of their own.
template <class K>
constexpr bool SharesOutputs() {
  if constexpr (requires { K::kSharesOutputs; }) {
    return K::kSharesOutputs;
  } else {
    return std::is_base_of_v<AsyncKernel, K>;
  }
}

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_H_
