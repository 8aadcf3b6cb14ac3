#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/elementwise/zip_cuda.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/reduction_cuda.h"
#include "kernels/quantized/fake_quant.h"

namespace dfrun {
namespace {

using quantized::Codes;
using quantized::NudgedRange;

struct ToNearest {
  NudgedRange range;
  DF_HOST_DEVICE float operator()(float x) const { return range.ByProduct(x); }
};
struct Inside {
  NudgedRange range;
  DF_HOST_DEVICE float operator()(float dy, float x) const { return dy * range.Within(x); }
};

class ArgsKernel final : public Kernel {
 public:
  explicit ArgsKernel(KernelSetup& setup) : to_nearest_{quantized::RangeOfAttrs(setup)} {}
  Status Compute(OpContext& ctx) const {
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, ctx.input(0).shape(), &y));
    return cuda::LaunchMap(ctx, ctx.input(0).data<float>(), y->data<float>(), y->num_elements(), to_nearest_);
  }

 private:
  const ToNearest to_nearest_;
};

class ArgsGradientKernel final : public Kernel {
 public:
  explicit ArgsGradientKernel(KernelSetup& setup) : inside_{quantized::RangeOfAttrs(setup)} {}
  Status Compute(OpContext& ctx) const {
    DF_TRY(quantized::CheckGradients(ctx));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(1).shape(), &dx));
    return cuda::LaunchZip(ctx, ctx.input(0).data<float>(), ctx.input(1).data<float>(), dx->data<float>(),
                           dx->num_elements(), inside_);
  }

 private:
  const Inside inside_;
};

// The ends of ranges, one for each of `count` channels, the innermost dimension.
struct GpuRanges {
  const float* min;
  const float* max;
  int64_t count;
  Codes codes;
  DF_HOST_DEVICE NudgedRange Of(int64_t i) const { return {min[i % count], max[i % count], codes}; }
};

template <bool kPerChannel>
DF_DEVICE_KERNEL void QuantizeByRanges(const float* x, GpuRanges ranges, float* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const NudgedRange range = ranges.Of(i);
  y[i] = range.is_nothing ? 0.0F : kPerChannel ? range.ByProduct(x[i]) : range.ByDivision(x[i]);
}

// Writes the gradients of the elements, and their contributions to those of the ranges' ends.
DF_DEVICE_KERNEL void GradientsByRanges(const float* dy, const float* x, GpuRanges ranges, float* dx, float* below,
                                        float* above, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const NudgedRange range = ranges.Of(i);
  dx[i] = range.is_nothing ? dy[i] : dy[i] * range.Within(x[i]);
  below[i] = range.is_nothing ? 0.0F : dy[i] * range.Below(x[i]);
  above[i] = range.is_nothing ? 0.0F : dy[i] * range.Above(x[i]);
}

template <bool kPerChannel>
class VarsKernel final : public Kernel {
 public:
  explicit VarsKernel(KernelSetup& setup) : codes_(Codes::Of(setup)) {}
  Status Compute(OpContext& ctx) const {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const int64_t count, quantized::RangesOfInputs(ctx, 0, kPerChannel));
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    const GpuRanges ranges = {ctx.input(1).data<float>(), ctx.input(2).data<float>(), count, codes_};
    return cuda::Launch(ctx, x.num_elements(), &QuantizeByRanges<kPerChannel>, x.data<float>(), ranges,
                        y->data<float>(), x.num_elements());
  }

 private:
  const Codes codes_;
};

template <bool kPerChannel>
class VarsGradientKernel final : public Kernel {
 public:
  explicit VarsGradientKernel(KernelSetup& setup) : codes_(Codes::Of(setup)) {}
  Status Compute(OpContext& ctx) const {
    DF_TRY(quantized::CheckGradients(ctx));
    const Tensor& x = ctx.input(1);
    DF_ASSIGN(const int64_t count, quantized::RangesOfInputs(ctx, 1, kPerChannel));
    Tensor* dx = nullptr;
    Tensor* ends[2] = {};
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &dx));
    for (int i : {0, 1}) DF_TRY(ctx.AllocateOutput(1 + i, ctx.input(2).shape(), &ends[i]));
    const int64_t n = x.num_elements();
    DF_ASSIGN(Tensor terms, ctx.AllocateTemp(DType::kFloat, Shape({2, n})));
    const GpuRanges ranges = {ctx.input(2).data<float>(), ctx.input(3).data<float>(), count, codes_};
    DF_TRY(cuda::Launch(ctx, n, &GradientsByRanges, ctx.input(0).data<float>(), x.data<float>(), ranges,
                        dx->data<float>(), terms.data<float>(), terms.data<float>() + n, n));
    if (count == 0) return Status();
    ReductionPlan plan;
    Shape sums;
    DF_TRY(PlanReduction(Shape({n / count, count}), {true, false}, /*keep_dims=*/false, plan, sums));
    for (int i : {0, 1}) {
      DF_TRY((cuda::LaunchReduce<red::Sum, float>(ctx, plan, terms.data<float>() + i * n, ends[i]->raw())));
    }
    return Status();
  }

 private:
  const Codes codes_;
};

CUDA_KERNEL_ANY("FakeQuantWithMinMaxArgs", ArgsKernel);
CUDA_KERNEL_ANY("FakeQuantWithMinMaxArgsGradient", ArgsGradientKernel);
CUDA_KERNEL_ANY("FakeQuantWithMinMaxVars", VarsKernel<false>);
CUDA_KERNEL_ANY("FakeQuantWithMinMaxVarsGradient", VarsGradientKernel<false>);
CUDA_KERNEL_ANY("FakeQuantWithMinMaxVarsPerChannel", VarsKernel<true>);
CUDA_KERNEL_ANY("FakeQuantWithMinMaxVarsPerChannelGradient", VarsGradientKernel<true>);

}  // namespace
}  // namespace dfrun
