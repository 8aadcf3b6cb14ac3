#include <utility>
#include <vector>

#include "kernels/control/kept_values.h"
#include "kernels/control/step_resource.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

const std::string kStack = "Stack";

// Thread safety: all methods from any thread.
class Stack final : public Resource {
 public:
  Stack(DType dtype, int64_t max_size, RefPtr<KeptValues> kept)
      : dtype_(dtype), max_size_(max_size), kept_(std::move(kept)) {}

  Status Push(Tensor value) {
    if (value.dtype() != dtype_) {
      return InvalidArgument("a stack of ", dtype_, " cannot take an element of ", value.dtype());
    }
    DF_TRY(kept_->Add(static_cast<int64_t>(value.num_bytes())));
    MutexLock lock(mu_);
    if (is_closed_) return InvalidArgument("the stack has been closed");
    if (max_size_ >= 0 && static_cast<int64_t>(values_.size()) >= max_size_) {
      return InvalidArgument("the stack holds its max_size of ", max_size_, " elements already");
    }
    values_.push_back(std::move(value));
    return Status();
  }

  Result<Tensor> Pop(DType dtype) {
    if (dtype != dtype_) return InvalidArgument("the stack holds ", dtype_, ", but is popped as ", dtype);
    MutexLock lock(mu_);
    if (is_closed_) return InvalidArgument("the stack has been closed");
    if (values_.empty()) return InvalidArgument("the stack is empty");
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }

  void Close() {
    MutexLock lock(mu_);
    values_.clear();
    is_closed_ = true;
  }

  std::string DebugString() const override { return StrCat("a stack of ", dtype_); }

 private:
  const DType dtype_;
  const int64_t max_size_;
  const RefPtr<KeptValues> kept_;
  Mutex mu_;
  std::vector<Tensor> values_ GUARDED_BY(mu_);
  bool is_closed_ GUARDED_BY(mu_) = false;
};

class StackKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit StackKernel(KernelSetup& setup)
      : dtype_(setup.attr<DType>("elem_type")), name_(setup.attr<std::string>("stack_name")) {
    if (name_.empty()) name_ = setup.node().name;
  }
  Status Compute(OpContext& ctx) {
    int64_t max_size = -1;
    if (ctx.num_inputs() > 0) {
      if (ctx.input(0).num_elements() != 1) {
        return InvalidArgument("max_size must be a scalar, but has shape ", ctx.input(0).shape());
      }
      max_size = ctx.input(0).scalar<int32_t>();
    }
    DF_ASSIGN(RefPtr<KeptValues> kept, KeptValues::Of(ctx));
    return GiveStepResource(ctx, kStack, name_, RefPtr<Stack>(new Stack(dtype_, max_size, std::move(kept))));
  }

 private:
  const DType dtype_;
  std::string name_;
};

class StackPushKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit StackPushKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Stack> stack, StepResourceInput<Stack>(ctx, 0, kStack));
    DF_ASSIGN(Tensor value, ctx.input(1).Owned(ctx.allocator()));
    ctx.SetOutput(0, value);
    return stack->Push(std::move(value));
  }
};

class StackPopKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit StackPopKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Stack> stack, StepResourceInput<Stack>(ctx, 0, kStack));
    DF_ASSIGN(Tensor value, stack->Pop(ctx.node().outputs[0].dtype));
    ctx.SetOutput(0, std::move(value));
    return Status();
  }
};

class StackCloseKernel final : public Kernel {
 public:
  explicit StackCloseKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Stack> stack, StepResourceInput<Stack>(ctx, 0, kStack));
    stack->Close();
    return Status();
  }
};

CPU_KERNEL_ANY("Stack", StackKernel);
CPU_KERNEL_ANY("StackPush", StackPushKernel);
CPU_KERNEL_ANY("StackPop", StackPopKernel);
CPU_KERNEL_ANY("StackClose", StackCloseKernel);
CPU_KERNEL_ANY("StackV2", StackKernel);
CPU_KERNEL_ANY("StackPushV2", StackPushKernel);
CPU_KERNEL_ANY("StackPopV2", StackPopKernel);
CPU_KERNEL_ANY("StackCloseV2", StackCloseKernel);

}  // namespace
}  // namespace dfrun
