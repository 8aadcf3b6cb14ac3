#include <utility>

#include "kernels/device/cpu_kernel.h"
#include "kernels/queues/accumulator.h"
#include "kernels/state/device_resource.h"

namespace dfrun {
namespace {

template <bool kIsSparse>
struct MakeAccumulator {
  using Object = Accumulator;
  static Result<RefPtr<Accumulator>> FindOrMake(KernelSetup& setup, DeviceResourceHandle& handle) {
    const AccumulatorType type{setup.attr<DType>("dtype"), setup.attr<PartialShape>("shape"),
                               setup.attr<std::string>("reduction_type") == "MEAN", kIsSparse};
    DF_ASSIGN(RefPtr<Accumulator> found,
              handle.Find<Accumulator>(
                  setup, [&](const std::string& name) -> Result<Accumulator*> { return new Accumulator(name, type); }));
    // A node that shares it may say another shape or reduction: those of the first node stand.
    if (found->type().dtype == type.dtype && found->type().is_sparse == type.is_sparse) return found;
    return InvalidArgument("the node ", setup.node().name, " shares ", found->DebugString(), ", which is another sort");
  }
};

// The kernel, for each of the dtypes that VisitAccumulated() knows.
template <bool kIsSparse>
struct AccumulatorKernels {
  template <class T>
  using Kernel = DeviceResourceKernel<MakeAccumulator<kIsSparse>>;
};

Result<RefPtr<Accumulator>> AccumulatorInput(const OpContext& ctx) {
  return DeviceResourceInput<Accumulator>(ctx, 0, "accumulator");
}

template <class T>
Result<T> ScalarOf(const OpContext& ctx, std::string_view what) {
  if (ctx.input(1).num_elements() == 1) return ctx.input(1).scalar<T>();
  return InvalidArgument(what, " must be a scalar, but has shape ", ctx.input(1).shape());
}

class ApplyGradientKernel final : public Kernel {
 public:
  explicit ApplyGradientKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    DF_ASSIGN(const int64_t local_step, ScalarOf<int64_t>(ctx, "local_step"));
    return accumulator->Apply(ctx, local_step, {ctx.input(2)});
  }
};

class ApplySparseGradientKernel final : public Kernel {
 public:
  explicit ApplySparseGradientKernel(KernelSetup& setup) : has_known_shape_(setup.attr<bool>("has_known_shape")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    DF_ASSIGN(const int64_t local_step, ScalarOf<int64_t>(ctx, "local_step"));
    const Tensor* const shape = has_known_shape_ ? &ctx.input(4) : nullptr;
    return accumulator->Apply(ctx, local_step, {ctx.input(3), &ctx.input(2), shape});
  }

 private:
  const bool has_known_shape_;
};

template <bool kIsSparse>
class TakeGradientKernel final : public AsyncKernel {
 public:
  explicit TakeGradientKernel(KernelSetup&) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    if (Status status = Start(ctx, done); !status.ok()) done(std::move(status));
  }

 private:
  static Status Start(OpContext& ctx, Callback done) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    DF_ASSIGN(const int32_t required, ScalarOf<int32_t>(ctx, "num_required"));
    if (required < 1) return InvalidArgument("Argument num_required must be >= 1, not ", required);
    const DType dtype = ctx.node().outputs[kIsSparse ? 1 : 0].dtype;
    if (dtype != accumulator->type().dtype || kIsSparse != accumulator->type().is_sparse) {
      return InvalidArgument(accumulator->DebugString(), " is taken as a ", kIsSparse ? "sparse" : "dense", " one of ",
                             dtype);
    }
    accumulator->Take(ctx, required, done);
    return Status();
  }
};

class SetGlobalStepKernel final : public Kernel {
 public:
  explicit SetGlobalStepKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    DF_ASSIGN(const int64_t step, ScalarOf<int64_t>(ctx, "new_global_step"));
    accumulator->SetStep(step);
    return Status();
  }
};

class NumAccumulatedKernel final : public Kernel {
 public:
  explicit NumAccumulatedKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<Accumulator> accumulator, AccumulatorInput(ctx));
    Tensor* count = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &count));
    *count->data<int32_t>() = accumulator->num_accumulated();
    return Status();
  }
};

CPU_KERNEL_ATTR("ConditionalAccumulator", "dtype", AccumulatorKernels<false>, float, double, float16);
CPU_KERNEL_ATTR("SparseConditionalAccumulator", "dtype", AccumulatorKernels<true>, float, double, float16);
CPU_KERNEL_ATTR("ResourceConditionalAccumulator", "dtype", AccumulatorKernels<false>, float, double, float16);

#define ACCUMULATOR_KERNEL(op, kernel)      \
  CPU_KERNEL_ANY("Accumulator" op, kernel); \
  CPU_KERNEL_ANY("ResourceAccumulator" op, kernel)

ACCUMULATOR_KERNEL("ApplyGradient", ApplyGradientKernel);
ACCUMULATOR_KERNEL("TakeGradient", TakeGradientKernel<false>);
ACCUMULATOR_KERNEL("SetGlobalStep", SetGlobalStepKernel);
ACCUMULATOR_KERNEL("NumAccumulated", NumAccumulatedKernel);
CPU_KERNEL_ANY("SparseAccumulatorApplyGradient", ApplySparseGradientKernel);
CPU_KERNEL_ANY("SparseAccumulatorTakeGradient", TakeGradientKernel<true>);

}  // namespace
}  // namespace dfrun
