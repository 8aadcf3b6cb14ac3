// Kernels of the sealed device: those of the CPU, called by the device's stream at the alias of its memory.
#ifndef DFRUN_TESTS_DEVICE_SEALED_KERNEL_H_
#define DFRUN_TESTS_DEVICE_SEALED_KERNEL_H_

#include <memory>
#include <vector>

#include "src/framework/kernel/kernel_registry.h"
#include "tests/device/sealed_device.h"
#include "tests/device/variable_aliases.h"

namespace dfrun::sealed {

// The CPU's kernel of a node, and the data that its calls need.
struct InnerKernel {
  // An error is reported to the setup.
  explicit InnerKernel(KernelSetup& setup);

  SealedDevice& device;
  const NodeInfo& node;
  std::unique_ptr<Kernel> kernel;     // null if the setup has failed
  std::vector<bool> is_preallocated;  // by output
};

// One call of a kernel: the context that the CPU's kernel sees.
class InnerCall {
 public:
  // `outer` is the call of the sealed device's kernel.
  InnerCall(const InnerKernel& inner, OpContext& outer);

  // Sets all inputs to their current values and keeps their buffers alive.
  // Thread safety: the stream's thread.
  void Bind();
  // Keeps the inputs in host memory alive; others exist when the stream comes to the call.
  // Thread safety: the thread that enqueues.
  void BindEnqueued();
  // Moves outputs and variables, after the call, to memory that the host must not touch.
  Status Finish();

  OpContext& context() { return context_; }

 private:
  Tensor Input(int i);
  Status FinishOutput(int i);
  void BindOutputs();
  void BindContext();

  const InnerKernel& inner_;
  OpContext& outer_;
  InlineThreadPool pool_;  // the device's work uses none of the host's threads
  VariableAliases variables_;
  std::vector<Tensor> slots_;
  std::vector<uint32_t> in_;
  std::vector<Tensor> outputs_;
  const StepContext step_;
  OpContext context_;
};

// Enqueues its work if the outputs are known before it runs: plain numbers of static shapes. Otherwise it waits for its
// work.
class SealedKernel final : public Kernel {
 public:
  explicit SealedKernel(KernelSetup& setup);
  Status Compute(OpContext& ctx);
  Tensor FixedOutput() const override { return inner_.kernel->FixedOutput(); }
  bool IsExpensive() const override { return inner_.kernel->IsExpensive(); }

 private:
  bool MayEnqueue(const KernelSetup& setup) const;
  Status Enqueue(OpContext& ctx);
  Status RunAndWait(OpContext& ctx);

  const InnerKernel inner_;
  std::vector<Shape> shapes_;  // shapes of the outputs; empty: the kernel does not enqueue
};

class SealedAsyncKernel final : public AsyncKernel {
 public:
  explicit SealedAsyncKernel(KernelSetup& setup) : inner_(setup) {}
  void ComputeAsync(OpContext& ctx, Callback done) override;
  bool IsExpensive() const override { return inner_.kernel->IsExpensive(); }

 private:
  const InnerKernel inner_;
};

}  // namespace dfrun::sealed

#endif  // DFRUN_TESTS_DEVICE_SEALED_KERNEL_H_
