// Batch normalisation and its gradient on cards: as on CPUs all is computed in float, with sums in double.
#include "kernels/device/cuda/launch.h"
#include "kernels/math/reducers.h"
#include "kernels/math/reduction_cuda.h"
#include "kernels/nn/batch_norm.h"
#include "kernels/nn/float_io_cuda.h"

namespace dfrun {
namespace {

// A tensor [outer, channels, inner] as a card sees it.
struct CardChannels {
  int64_t count;
  int64_t channels;
  int64_t inner;
  explicit CardChannels(const ChannelLayout& layout)
      : count(layout.outer * layout.channels * layout.inner), channels(layout.channels), inner(layout.inner) {}
  DF_HOST_DEVICE int64_t Channel(int64_t i) const { return i / inner % channels; }
};

// Folds all elements of each channel.
template <class R, class T>
Status FoldChannels(OpContext& ctx, const ChannelLayout& layout, const T* x, T* folded) {
  ReductionPlan plan;
  Shape output;
  DF_TRY(PlanReduction(Shape({layout.outer, layout.channels, layout.inner}), {true, false, true}, false, plan, output));
  return cuda::LaunchFold<R, T>(ctx, plan, x, folded);
}

DF_CARD_KERNEL void SquaredDistances(CardChannels layout, const float* x, const float* mean, float* squares) {
  const int64_t i = cuda::ThreadInGrid();
  if (i >= layout.count) return;
  const float distance = x[i] - mean[layout.Channel(i)];
  squares[i] = distance * distance;
}

struct Statistics {
  float* mean;
  float* variance;
  float* saved_mean;
  float* saved_variance;
};

// The means of the population that the batch is drawn from, averaged with those given.
DF_CARD_KERNEL void AverageStatistics(Statistics s, const float* old_mean, const float* old_variance, int64_t channels,
                                      double bessel, double factor) {
  const int64_t c = cuda::ThreadInGrid();
  if (c >= channels) return;
  const double variance = static_cast<double>(s.saved_variance[c]) * bessel;
  if (factor == 1) {
    s.mean[c] = s.saved_mean[c];
    s.variance[c] = static_cast<float>(variance);
  } else {
    s.mean[c] = static_cast<float>((1 - factor) * old_mean[c] + factor * s.saved_mean[c]);
    s.variance[c] = static_cast<float>((1 - factor) * old_variance[c] + factor * variance);
  }
}

DF_CARD_KERNEL void NormaliseElements(CardChannels layout, const float* x, const float* scale, const float* offset,
                                      const float* mean, const float* variance, double epsilon, float* y) {
  const int64_t i = cuda::ThreadInGrid();
  if (i >= layout.count) return;
  const int64_t c = layout.Channel(i);
  const auto slope = static_cast<float>(scale[c] / std::sqrt(variance[c] + epsilon));
  y[i] = (x[i] - mean[c]) * slope + offset[c];
}

DF_CARD_KERNEL void SetFloats(float* to, float value, int64_t n) {
  const int64_t i = cuda::ThreadInGrid();
  if (i < n) to[i] = value;
}

// x, scale, offset, mean, variance to y, batch_mean, batch_variance, the saved mean and variance, and a reserve.
class CardBatchNorm final : public Kernel {
 public:
  explicit CardBatchNorm(KernelSetup& setup) : attrs_(setup), factor_(setup.attr<float>("exponential_avg_factor")) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const ChannelLayout layout, attrs_.Layout(x.shape()));
    DF_TRY(CheckBatchNorm(ctx, layout.channels, /*reads_statistics=*/!attrs_.is_training || averages()));
    cuda::FloatOutputs<1> outputs(ctx);
    DF_ASSIGN(float* const y, outputs.Add(0, x.shape()));
    Statistics out{};
    DF_TRY(Allocate(ctx, layout.channels, x.shape().rank(), out));
    if (x.num_elements() == 0) return FillEmpty(ctx, layout.channels, out);
    DF_ASSIGN(const Tensor wide, cuda::AsFloat(ctx, x));
    DF_TRY(attrs_.is_training ? Measure(ctx, layout, wide.data<float>(), out) : Take(ctx, layout.channels, out));
    DF_TRY(cuda::Launch(ctx, x.num_elements(), &NormaliseElements, CardChannels(layout), wide.data<float>(),
                        ctx.input(1).data<float>(), ctx.input(2).data<float>(), out.saved_mean, out.saved_variance,
                        attrs_.epsilon, y));
    return outputs.Finish();
  }

 private:
  bool averages() const { return attrs_.is_training && factor_ != 1; }

  static Status Allocate(OpContext& ctx, int64_t channels, int rank, Statistics& out) {
    float** places[] = {&out.mean, &out.variance, &out.saved_mean, &out.saved_variance};
    for (int i = 0; i < 4; ++i) {
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(i + 1, Shape({channels}), &output));
      *places[i] = output->data<float>();
    }
    if (ctx.num_outputs() < 6) return Status();
    Tensor* reserve = nullptr;
    DF_TRY(ctx.AllocateOutput(5, ReserveShape(rank), &reserve));
    return cuda::EnqueueZeros(ctx, reserve->raw(), reserve->num_bytes());
  }

  static Status FillEmpty(OpContext& ctx, int64_t channels, const Statistics& out) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (float* p : {out.mean, out.variance}) DF_TRY(cuda::Launch(ctx, channels, &SetFloats, p, nan, channels));
    for (float* p : {out.saved_mean, out.saved_variance}) {
      DF_TRY(cuda::Launch(ctx, channels, &SetFloats, p, 0.0F, channels));
    }
    return Status();
  }

  // The batch's own mean and variance, saved, and those of the population.
  Status Measure(OpContext& ctx, const ChannelLayout& layout, const float* x, const Statistics& out) const {
    const CardChannels channels(layout);
    DF_TRY((FoldChannels<red::Mean, float>(ctx, layout, x, out.saved_mean)));
    DF_ASSIGN(Tensor squares, ctx.AllocateTemp(DType::kFloat, Shape({channels.count})));
    DF_TRY(cuda::Launch(ctx, channels.count, &SquaredDistances, channels, x, out.saved_mean, squares.data<float>()));
    DF_TRY((FoldChannels<red::Mean, float>(ctx, layout, squares.data<float>(), out.saved_variance)));
    const double count = static_cast<double>(layout.outer * layout.inner);
    return cuda::Launch(ctx, layout.channels, &AverageStatistics, out, ctx.input(3).data<float>(),
                        ctx.input(4).data<float>(), layout.channels, count > 1 ? count / (count - 1) : 1.0, factor_);
  }

  static Status Take(OpContext& ctx, int64_t channels, const Statistics& out) {
    const size_t bytes = static_cast<size_t>(channels) * sizeof(float);
    for (float* p : {out.mean, out.saved_mean}) DF_TRY(cuda::EnqueueBytes(ctx, ctx.input(3).raw(), p, bytes));
    for (float* p : {out.variance, out.saved_variance}) {
      DF_TRY(cuda::EnqueueBytes(ctx, ctx.input(4).raw(), p, bytes));
    }
    return Status();
  }

  const BatchNormAttrs attrs_;
  const double factor_;
};

// By channel: dx = slope ((dy - level) - inclination d), in this order so that what cancels cancels exactly.
struct Coefficients {
  float* slope;
  float* inclination;
  float* level;
};

DF_CARD_KERNEL void GradientProducts(CardChannels layout, const float* dy, const float* x, const float* mean,
                                     double* gradients, double* products) {
  const int64_t i = cuda::ThreadInGrid();
  if (i >= layout.count) return;
  gradients[i] = dy[i];
  products[i] = dy[i] * (x[i] - mean[layout.Channel(i)]);
}

DF_CARD_KERNEL void MakeCoefficients(const double* sums, const double* product_sums, const float* scale,
                                     const float* variance, double epsilon, double count, bool is_training,
                                     int64_t channels, Coefficients k, float* scale_backprop, float* offset_backprop) {
  const int64_t c = cuda::ThreadInGrid();
  if (c >= channels) return;
  const double r = 1 / std::sqrt(variance[c] + epsilon);
  offset_backprop[c] = static_cast<float>(sums[c]);
  scale_backprop[c] = static_cast<float>(product_sums[c] * r);
  k.slope[c] = static_cast<float>(scale[c] * r);
  k.inclination[c] = is_training ? static_cast<float>(r * r * product_sums[c] / count) : 0;
  k.level[c] = is_training ? static_cast<float>(sums[c] / count) : 0;
}

DF_CARD_KERNEL void ImageGradient(CardChannels layout, const float* dy, const float* x, const float* mean,
                                  Coefficients k, float* dx) {
  const int64_t i = cuda::ThreadInGrid();
  if (i >= layout.count) return;
  const int64_t c = layout.Channel(i);
  dx[i] = k.slope[c] * ((dy[i] - k.level[c]) - k.inclination[c] * (x[i] - mean[c]));
}

// y_backprop, x, scale, mean, variance to x_backprop, scale_backprop, offset_backprop and two outputs that hold
// nothing.
class CardBatchNormGrad final : public Kernel {
 public:
  explicit CardBatchNormGrad(KernelSetup& setup) : attrs_(setup) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(1);
    DF_ASSIGN(const ChannelLayout layout, attrs_.Layout(x.shape()));
    DF_TRY(CheckBatchNormGrad(ctx, layout.channels));
    cuda::FloatOutputs<1> outputs(ctx);
    DF_ASSIGN(float* const dx, outputs.Add(0, x.shape()));
    Tensor* scale_backprop = nullptr;
    Tensor* offset_backprop = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({layout.channels}), &scale_backprop));
    DF_TRY(ctx.AllocateOutput(2, Shape({layout.channels}), &offset_backprop));
    DF_TRY(AllocateReserves(ctx));
    DF_ASSIGN(const Tensor dy, cuda::AsFloat(ctx, ctx.input(0)));
    DF_ASSIGN(const Tensor wide_x, cuda::AsFloat(ctx, x));
    DF_TRY(Run(ctx, layout, dy.data<float>(), wide_x.data<float>(), dx, scale_backprop->data<float>(),
               offset_backprop->data<float>()));
    return outputs.Finish();
  }

 private:
  static Status AllocateReserves(OpContext& ctx) {
    const Tensor& x = ctx.input(1);
    const Shape shape = GradReserveShape(x.shape().rank(), ctx.num_inputs() == 6, x.dtype());
    for (int i : {3, 4}) {
      Tensor* reserve = nullptr;
      DF_TRY(ctx.AllocateOutput(i, shape, &reserve));
      DF_TRY(cuda::EnqueueZeros(ctx, reserve->raw(), reserve->num_bytes()));
    }
    return Status();
  }

  Status Run(OpContext& ctx, const ChannelLayout& layout, const float* dy, const float* x, float* dx,
             float* scale_backprop, float* offset_backprop) const {
    const CardChannels channels(layout);
    const float* const mean = ctx.input(3).data<float>();
    DF_ASSIGN(Tensor terms, ctx.AllocateTemp(DType::kDouble, Shape({2, channels.count})));
    DF_ASSIGN(Tensor sums, ctx.AllocateTemp(DType::kDouble, Shape({2, layout.channels})));
    DF_ASSIGN(Tensor floats, ctx.AllocateTemp(DType::kFloat, Shape({3, layout.channels})));
    double* const gradients = terms.data<double>();
    double* const products = gradients + channels.count;
    double* const product_sums = sums.data<double>() + layout.channels;
    const Coefficients k = {floats.data<float>(), floats.data<float>() + layout.channels,
                            floats.data<float>() + 2 * layout.channels};
    DF_TRY(cuda::Launch(ctx, channels.count, &GradientProducts, channels, dy, x, mean, gradients, products));
    DF_TRY((FoldChannels<red::Sum, double>(ctx, layout, gradients, sums.data<double>())));
    DF_TRY((FoldChannels<red::Sum, double>(ctx, layout, products, product_sums)));
    DF_TRY(cuda::Launch(ctx, layout.channels, &MakeCoefficients, sums.data<double>(), product_sums,
                        ctx.input(2).data<float>(), ctx.input(4).data<float>(), attrs_.epsilon,
                        static_cast<double>(layout.outer * layout.inner), attrs_.is_training, layout.channels, k,
                        scale_backprop, offset_backprop));
    return cuda::Launch(ctx, channels.count, &ImageGradient, channels, dy, x, mean, k, dx);
  }

  const BatchNormAttrs attrs_;
};

struct BatchNorm {
  template <class T>
  using Kernel = CardBatchNorm;
};
struct BatchNormGrad {
  template <class T>
  using Kernel = CardBatchNormGrad;
};

CUDA_KERNEL("FusedBatchNorm", BatchNorm, float);
CUDA_KERNEL("FusedBatchNormV2", BatchNorm, bfloat16, float16, float);
CUDA_KERNEL("FusedBatchNormV3", BatchNorm, bfloat16, float16, float);
CUDA_KERNEL("FusedBatchNormGrad", BatchNormGrad, float);
CUDA_KERNEL("FusedBatchNormGradV2", BatchNormGrad, bfloat16, float16, float);
CUDA_KERNEL("FusedBatchNormGradV3", BatchNormGrad, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
