#include <cmath>

#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/channel_sums.h"
#include "kernels/nn/norm/batch_norm.h"

namespace dfrun {
namespace {

// y_backprop, x, scale, mean, variance to x_backprop, scale_backprop, offset_backprop and two outputs that hold
// nothing. With r = 1 / sqrt(variance + epsilon) and d = x - mean:
//   offset_backprop = sum(dy), scale_backprop = r sum(dy d),
//   x_backprop = scale r dy, less in training scale r (mean(dy) + d r^2 mean(dy d)).
class BatchNormGradKernel final : public Kernel {
 public:
  explicit BatchNormGradKernel(KernelSetup& setup) : attrs_(setup) {}

  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(0);
    const Tensor& x = ctx.input(1);
    DF_ASSIGN(const ChannelLayout layout, attrs_.Layout(x.shape()));
    DF_TRY(CheckBatchNormGrad(ctx, layout.channels));
    ImageOutput dx;
    DF_TRY(dx.Allocate(ctx, x.shape()));
    Tensor* scale_backprop = nullptr;
    Tensor* offset_backprop = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({layout.channels}), &scale_backprop));
    DF_TRY(ctx.AllocateOutput(2, Shape({layout.channels}), &offset_backprop));
    DF_TRY(AllocateReserves(ctx));
    DF_ASSIGN(const Tensor wide_dy, WidenedImages(ctx, dy));
    DF_ASSIGN(const Tensor wide_x, WidenedImages(ctx, x));
    Run(ctx, layout, wide_dy.data<float>(), wide_x.data<float>(), dx.data(), scale_backprop->data<float>(),
        offset_backprop->data<float>());
    dx.Finish(ctx);
    return Status();
  }

  bool IsExpensive() const override { return true; }

 private:
  static Status AllocateReserves(OpContext& ctx) {
    const Tensor& x = ctx.input(1);
    const Shape shape = GradReserveShape(x.shape().rank(), ctx.num_inputs() == 6, x.dtype());
    for (int i : {3, 4}) {
      Tensor* reserve = nullptr;
      DF_TRY(ctx.AllocateOutput(i, shape, &reserve));
      std::fill_n(reserve->data<float>(), reserve->num_elements(), 0.0F);
    }
    return Status();
  }

  // The coefficients by channel: dx = slope ((dy - level) - inclination d), in this order so that what cancels cancels
  // exactly.
  struct Coefficients {
    std::vector<float> slope, inclination, level;
  };

  // Writes all of dx, and all channels of scale_backprop and offset_backprop; takes scale, mean and variance, which are
  // not widened, from inputs 2 to 4.
  void Run(const OpContext& ctx, const ChannelLayout& layout, const float* dy, const float* x, float* dx,
           float* scale_backprop, float* offset_backprop) const {
    const float* mean = ctx.input(3).data<float>();
    const auto channels_count = static_cast<size_t>(layout.channels);
    std::vector<double> sum(channels_count);
    std::vector<double> sum_of_products(channels_count);
    channels::Sums(
        layout, ctx.pool(), [=](int64_t i, int64_t) { return dy[i]; }, sum.data(), channels::FetchAhead<1>{{dy}});
    channels::Sums(
        layout, ctx.pool(), [=](int64_t i, int64_t c) { return dy[i] * (x[i] - mean[c]); }, sum_of_products.data(),
        channels::FetchAhead<2>{{dy, x}});
    Coefficients k{std::vector<float>(channels_count), std::vector<float>(channels_count),
                   std::vector<float>(channels_count)};
    const double count = static_cast<double>(layout.outer * layout.inner);
    for (size_t c = 0; c < channels_count; ++c) {
      const double r = 1 / std::sqrt(ctx.input(4).data<float>()[c] + attrs_.epsilon);
      const double slope = ctx.input(2).data<float>()[c] * r;
      offset_backprop[c] = static_cast<float>(sum[c]);
      scale_backprop[c] = static_cast<float>(sum_of_products[c] * r);
      k.slope[c] = static_cast<float>(slope);
      if (!attrs_.is_training) continue;
      k.inclination[c] = static_cast<float>(r * r * sum_of_products[c] / count);
      k.level[c] = static_cast<float>(sum[c] / count);
    }
    channels::ForElements(
        layout, ctx.pool(),
        [=, slope = k.slope.data(), inclination = k.inclination.data(), level = k.level.data()](int64_t i, int64_t c) {
          dx[i] = slope[c] * ((dy[i] - level[c]) - inclination[c] * (x[i] - mean[c]));
        });
  }

  const BatchNormAttrs attrs_;
};

struct BatchNormGrad {
  template <class T>
  using Kernel = BatchNormGradKernel;
};

CPU_KERNEL("FusedBatchNormGrad", BatchNormGrad, float);
CPU_KERNEL("FusedBatchNormGradV2", BatchNormGrad, bfloat16, float16, float);
CPU_KERNEL("FusedBatchNormGradV3", BatchNormGrad, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
