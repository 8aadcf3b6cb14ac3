#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/pool/pool_kernel.h"
#include "kernels/nn/pool/pool_means.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
class AvgPoolGradKernel final : public PoolKernel {
 public:
  explicit AvgPoolGradKernel(KernelSetup& setup) : PoolKernel(setup, kWindowAttrs) {}

  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(1);
    Shape input;
    DF_ASSIGN(const PoolShape s, ShapeOfAverages(ctx, input));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input, &dx));
    ForImages(s, ctx.pool(), [&](int64_t i) {
      pooling::MeanOfImageGradient(s, dy.data<T>() + i * s.output_image(), dx->data<T>() + i * s.input_image());
    });
    return Status();
  }
};

struct AvgPool {
  template <class T>
  using Kernel = ForwardPool<T, kWindowAttrs, &pooling::MeanOfImage<T>>;
};

CPU_KERNEL("AvgPool", AvgPool, DF_FLOATS);
CPU_KERNEL("AvgPoolGrad", KernelOf<AvgPoolGradKernel>, DF_FLOATS);
CPU_KERNEL("AvgPool3D", AvgPool, DF_FLOATS);
CPU_KERNEL("AvgPool3DGrad", KernelOf<AvgPoolGradKernel>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
