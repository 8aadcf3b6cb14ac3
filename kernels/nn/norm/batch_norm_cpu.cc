#include <cmath>
#include <limits>

#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/channel_sums.h"
#include "kernels/nn/norm/batch_norm.h"

namespace dfrun {
namespace {

// x, scale, offset, mean, variance to y, batch_mean, batch_variance, the saved mean and variance, and a reserve.
class BatchNormKernel final : public Kernel {
 public:
  explicit BatchNormKernel(KernelSetup& setup) : attrs_(setup), factor_(setup.attr<float>("exponential_avg_factor")) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const ChannelLayout layout, attrs_.Layout(x.shape()));
    DF_TRY(CheckBatchNorm(ctx, layout.channels, /*reads_statistics=*/!attrs_.is_training || averages()));
    ImageOutput y;
    DF_TRY(y.Allocate(ctx, x.shape()));
    Statistics out;
    DF_TRY(Allocate(ctx, layout.channels, out));
    if (x.num_elements() == 0) {
      out.Fill(layout.channels, std::numeric_limits<float>::quiet_NaN(), 0);
      return Status();
    }
    DF_ASSIGN(const Tensor wide, WidenedImages(ctx, x));
    if (attrs_.is_training) {
      Measure(layout, wide.data<float>(), ctx.pool(), out);
      Average(ctx, layout, out);
    } else {
      std::copy_n(ctx.input(3).data<float>(), layout.channels, out.saved_mean);
      std::copy_n(ctx.input(4).data<float>(), layout.channels, out.saved_variance);
      std::copy_n(out.saved_mean, layout.channels, out.mean);
      std::copy_n(out.saved_variance, layout.channels, out.variance);
    }
    Normalise(ctx, layout, wide.data<float>(), out, y.data());
    y.Finish(ctx);
    return Status();
  }

  bool IsExpensive() const override { return true; }

 private:
  // Outputs 1 to 4.
  struct Statistics {
    float* mean;
    float* variance;
    float* saved_mean;
    float* saved_variance;

    void Fill(int64_t channels, float value, float saved) const {
      for (float* p : {mean, variance}) std::fill_n(p, channels, value);
      for (float* p : {saved_mean, saved_variance}) std::fill_n(p, channels, saved);
    }
  };

  bool averages() const { return attrs_.is_training && factor_ != 1; }

  static Status Allocate(OpContext& ctx, int64_t channels, Statistics& out) {
    float** targets[] = {&out.mean, &out.variance, &out.saved_mean, &out.saved_variance};
    for (int i = 0; i < 4; ++i) {
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(i + 1, Shape({channels}), &output));
      *targets[i] = output->data<float>();
    }
    if (ctx.num_outputs() < 6) return Status();
    Tensor* reserve = nullptr;
    DF_TRY(ctx.AllocateOutput(5, ReserveShape(), &reserve));
    std::fill_n(reserve->data<float>(), reserve->num_elements(), 0.0F);
    return Status();
  }

  // The batch's own mean and variance, saved.
  static void Measure(const ChannelLayout& layout, const float* x, ThreadPool& pool, const Statistics& out) {
    const double count = static_cast<double>(layout.outer * layout.inner);
    std::vector<double> sums(static_cast<size_t>(layout.channels));
    channels::Sums(
        layout, pool, [=](int64_t i, int64_t) { return x[i]; }, sums.data(), channels::FetchAhead<1>{{x}});
    for (int64_t c = 0; c < layout.channels; ++c) {
      out.saved_mean[c] = static_cast<float>(sums[static_cast<size_t>(c)] / count);
    }
    const auto squared_distance = [x, mean = out.saved_mean](int64_t i, int64_t c) {
      return (x[i] - mean[c]) * (x[i] - mean[c]);
    };
    channels::Sums(layout, pool, squared_distance, sums.data(), channels::FetchAhead<1>{{x}});
    for (int64_t c = 0; c < layout.channels; ++c) {
      out.saved_variance[c] = static_cast<float>(sums[static_cast<size_t>(c)] / count);
    }
  }

  // batch_mean and batch_variance: of the population that the batch is drawn from, averaged with those given.
  void Average(const OpContext& ctx, const ChannelLayout& layout, const Statistics& out) const {
    const double count = static_cast<double>(layout.outer * layout.inner);
    const double bessel = count > 1 ? count / (count - 1) : 1;
    const float* mean = ctx.input(3).data<float>();
    const float* variance = ctx.input(4).data<float>();
    for (int64_t c = 0; c < layout.channels; ++c) {
      const double new_variance = out.saved_variance[c] * bessel;
      out.mean[c] =
          averages() ? static_cast<float>((1 - factor_) * mean[c] + factor_ * out.saved_mean[c]) : out.saved_mean[c];
      out.variance[c] =
          static_cast<float>(averages() ? (1 - factor_) * variance[c] + factor_ * new_variance : new_variance);
    }
  }

  void Normalise(const OpContext& ctx, const ChannelLayout& layout, const float* x, const Statistics& with,
                 float* y) const {
    const float* scale = ctx.input(1).data<float>();
    const float* offset = ctx.input(2).data<float>();
    std::vector<float> slopes(static_cast<size_t>(layout.channels));
    for (int64_t c = 0; c < layout.channels; ++c) {
      slopes[static_cast<size_t>(c)] =
          static_cast<float>(scale[c] / std::sqrt(with.saved_variance[c] + attrs_.epsilon));
    }
    channels::ForElements(layout, ctx.pool(), [=, mean = with.saved_mean, slope = slopes.data()](int64_t i, int64_t c) {
      y[i] = (x[i] - mean[c]) * slope[c] + offset[c];
    });
  }

  const BatchNormAttrs attrs_;
  const double factor_;
};

struct BatchNorm {
  template <class T>
  using Kernel = BatchNormKernel;
};

CPU_KERNEL("FusedBatchNorm", BatchNorm, float);
CPU_KERNEL("FusedBatchNormV2", BatchNorm, bfloat16, float16, float);
CPU_KERNEL("FusedBatchNormV3", BatchNorm, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
