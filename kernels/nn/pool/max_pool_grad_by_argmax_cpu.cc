#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/pool/pool_kernel.h"
#include "kernels/nn/pool/pool_tile.h"

namespace dfrun {
namespace {

class ArgmaxGradKernel final : public Kernel {
 public:
  explicit ArgmaxGradKernel(KernelSetup& setup) : tile_(setup, "ksize") {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const PoolShape s, tile_.PoolOf(ctx.input(0), ctx.input(1)));
    const auto* const argmax = ctx.input(0).data<uint8_t>();
    const auto* const grad = ctx.input(1).data<float>();
    Tensor* result = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({s.images, s.height.input, s.width.input, s.channels}), &result));
    PoolKernel::ForImages(s, ctx.pool(), [&](int64_t i) {
      const int64_t from = i * s.output_image();
      pooling::GradientAtArgmax(s, argmax + from, grad + from, result->data<float>() + i * s.input_image());
    });
    return Status();
  }

 private:
  const PoolTile tile_;
};

CPU_KERNEL_ANY("_MaxPoolGradByArgmax", ArgmaxGradKernel);

}  // namespace
}  // namespace dfrun
