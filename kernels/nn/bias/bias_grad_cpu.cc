#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduction.h"
#include "kernels/nn/bias/bias_sums.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
class BiasAddGradKernel final : public Kernel {
 public:
  explicit BiasAddGradKernel(KernelSetup& setup) : channels_first_(setup.attr<std::string>("data_format") == "NCHW") {}

  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(0);
    DF_ASSIGN(const ChannelLayout layout, ChannelLayout::Of(dy.shape(), channels_first_));
    Tensor* sums = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({layout.channels}), &sums));
    if constexpr (std::is_same_v<T, float>) {
      SumBias(layout, dy.data<float>(), ctx.pool(), sums->data<float>());
      return Status();
    }
    if (layout.inner == 1 && layout.outer <= kFewBiasRows) {
      SumFewBiasRows(dy.data<T>(), layout.outer, layout.channels, sums->data<T>());
      return Status();
    }
    ReductionPlan plan;
    Shape output;
    DF_TRY(
        PlanReduction(Shape({layout.outer, layout.channels, layout.inner}), {true, false, true}, false, plan, output));
    return cpu::RunReduction(cpu::LoopsOf<red::Sum, T>(), plan, dy.raw(), sums->raw(), ctx);
  }

 private:
  const bool channels_first_;
};

CPU_KERNEL("BiasAddGrad", KernelOf<BiasAddGradKernel>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
