// Batch normalisation and its gradient on GPUs: as on CPUs all is computed in float, with sums in double. Images are
// read once for their sums and once more for the result, whatever their type.
#include "kernels/math/elementwise/bias_relu_cuda.h"
#include "kernels/nn/norm/batch_norm.h"
#include "kernels/nn/norm/channel_maps_cuda.h"

namespace dfrun {
namespace {

using cuda::ChannelTotals;

struct Statistics {
  float* mean;
  float* variance;
  float* saved_mean;
  float* saved_variance;
};

// The origin of a channel's sums: its first element, which lies near the others, so that little cancels.
template <class T>
DF_HOST_DEVICE double OriginOf(const T* x, int64_t first) {
  const auto origin = static_cast<double>(static_cast<float>(x[first]));
  return origin - origin == 0 ? origin : 0;  // 0 for infinities and NaN
}

// Sums of distances from the channel's first element, and of their squares.
template <class T>
struct DistanceTerms {
  const T* x;

  template <int kWidth>
  struct Elements {
    cuda::ElementVector<T, kWidth> x;
    DF_HOST_DEVICE T At(int k) const { return x.at[k]; }
  };
  template <int kWidth>
  DF_DEVICE_FUNCTION Elements<kWidth> Load(int64_t i) const {
    return {cuda::LoadVector<kWidth>(x + i)};
  }
  struct Channel {
    double origin;
    DF_HOST_DEVICE ChannelTotals operator()(T element) const {
      const double distance = static_cast<double>(static_cast<float>(element)) - origin;
      return {distance, distance * distance};
    }
  };
  DF_HOST_DEVICE Channel Of(int64_t /*channel*/, int64_t first) const { return {OriginOf(x, first)}; }
  bool is_aligned() const { return cuda::IsVectorAligned(x); }
};

// Writes the batch's own mean and variance; the population's, averaged with the given ones; and the factor of the
// elements.
template <class T>
struct FinishStatistics {
  const T* x;
  Statistics to;
  const float* old_mean;
  const float* old_variance;
  const float* scale;
  float* slope;
  double count;
  double factor;
  double epsilon;

  DF_HOST_DEVICE void operator()(int64_t c, int64_t first, const ChannelTotals& sums) const {
    const double distance = sums.a / count;
    const double square = sums.b / count - distance * distance;
    to.saved_mean[c] = static_cast<float>(OriginOf(x, first) + distance);
    to.saved_variance[c] = static_cast<float>(square < 0 ? 0 : square);
    slope[c] = static_cast<float>(scale[c] / std::sqrt(to.saved_variance[c] + epsilon));
    const double variance = static_cast<double>(to.saved_variance[c]) * (count > 1 ? count / (count - 1) : 1);
    if (factor == 1) {
      to.mean[c] = to.saved_mean[c];
      to.variance[c] = static_cast<float>(variance);
    } else {
      to.mean[c] = static_cast<float>((1 - factor) * old_mean[c] + factor * to.saved_mean[c]);
      to.variance[c] = static_cast<float>((1 - factor) * old_variance[c] + factor * variance);
    }
  }
};

DF_DEVICE_KERNEL void MakeSlopes(const float* scale, const float* variance, double epsilon, float* slope, int64_t n) {
  const int64_t c = cuda::GlobalThreadId();
  if (c < n) slope[c] = static_cast<float>(scale[c] / std::sqrt(variance[c] + epsilon));
}

template <class T>
struct NormaliseMap {
  const T* x;
  T* y;
  const float* mean;
  const float* slope;
  const float* offset;
  const T* side;  // added to the result, or null
  bool has_relu;  // applied to the sum with `side`

  template <int kWidth>
  struct Channels {
    float mean[kWidth];
    float slope[kWidth];
    float offset[kWidth];
  };
  template <int kWidth>
  DF_DEVICE_FUNCTION Channels<kWidth> Load(int64_t channel) const {
    Channels<kWidth> of;
    for (int k = 0; k < kWidth; ++k) {
      of.mean[k] = mean[channel + k];
      of.slope[k] = slope[channel + k];
      of.offset[k] = offset[channel + k];
    }
    return of;
  }
  template <int kWidth>
  DF_DEVICE_FUNCTION void Apply(const Channels<kWidth>& of, int64_t i) const {
    const auto from = cuda::LoadVector<kWidth>(x + i);
    cuda::ElementVector<T, kWidth> to;
    for (int k = 0; k < kWidth; ++k) {
      to.at[k] = static_cast<T>((static_cast<float>(from.at[k]) - of.mean[k]) * of.slope[k] + of.offset[k]);
    }
    if (side != nullptr) {
      const auto beside = cuda::LoadVector<kWidth>(side + i);
      for (int k = 0; k < kWidth; ++k) {
        to.at[k] = static_cast<T>(static_cast<float>(to.at[k]) + static_cast<float>(beside.at[k]));
      }
    }
    for (int k = 0; has_relu && k < kWidth; ++k) to.at[k] = cuda::ReluOf<T>()(to.at[k]);
    cuda::StoreVector<kWidth>(y + i, to);
  }
  bool is_aligned() const {
    return cuda::IsVectorAligned(x) && cuda::IsVectorAligned(y) && (side == nullptr || cuda::IsVectorAligned(side));
  }
};

DF_DEVICE_KERNEL void SetFloats(float* to, float value, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) to[i] = value;
}

// x, scale, offset, mean, variance to y, batch_mean, batch_variance, the saved mean and variance, and a reserve. Where
// the op has it, one more input is added to y, and Relu follows.
template <class T>
class GpuBatchNorm final : public Kernel {
 public:
  explicit GpuBatchNorm(KernelSetup& setup) : attrs_(setup), factor_(setup.attr<float>("exponential_avg_factor")) {
    if (!setup.attrs().Has("activation_mode")) return;
    const auto activation = setup.attr<std::string>("activation_mode");
    has_relu_ = activation == "Relu";
    if ((!has_relu_ && activation != "Identity") || setup.node().inputs.size() > kSide + 1) {
      setup.Fail(Unimplemented("attr 'activation_mode' must be Identity or Relu, after at most one side input"));
    }
  }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const ChannelLayout layout, attrs_.Layout(x.shape()));
    DF_TRY(CheckBatchNorm(ctx, layout.channels, /*reads_statistics=*/!attrs_.is_training || averages()));
    DF_ASSIGN(const T* const side, SideOf(ctx));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    Statistics out{};
    DF_TRY(Allocate(ctx, layout.channels, out));
    if (x.num_elements() == 0) return FillEmpty(ctx, layout.channels, out);
    DF_ASSIGN(Tensor slopes, ctx.AllocateTemp(DType::kFloat, Shape({layout.channels})));
    float* const slope = slopes.data<float>();
    DF_TRY(attrs_.is_training ? Measure(ctx, layout, out, slope) : Take(ctx, layout.channels, out, slope));
    return cuda::LaunchOverChannels<T>(
        ctx, layout,
        NormaliseMap<T>{x.data<T>(), y->data<T>(), out.saved_mean, slope, ctx.input(2).data<float>(), side, has_relu_});
  }

 private:
  static constexpr int kSide = 5;

  bool averages() const { return attrs_.is_training && factor_ != 1; }

  static Result<const T*> SideOf(const OpContext& ctx) {
    if (ctx.num_inputs() <= kSide) return nullptr;
    const Tensor& side = ctx.input(kSide);
    if (side.shape() == ctx.input(0).shape()) return side.data<T>();
    return InvalidArgument(ctx.node().op->name, ": the side input has shape ", side.shape(), ", but x ",
                           ctx.input(0).shape());
  }

  static Status Allocate(OpContext& ctx, int64_t channels, Statistics& out) {
    float** places[] = {&out.mean, &out.variance, &out.saved_mean, &out.saved_variance};
    for (int i = 0; i < 4; ++i) {
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(i + 1, Shape({channels}), &output));
      *places[i] = output->data<float>();
    }
    if (ctx.num_outputs() < 6) return Status();
    Tensor* reserve = nullptr;
    DF_TRY(ctx.AllocateOutput(5, ReserveShape(), &reserve));
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

  Status Measure(OpContext& ctx, const ChannelLayout& layout, const Statistics& out, float* slope) const {
    const T* const x = ctx.input(0).data<T>();
    const FinishStatistics<T> finish = {x,
                                        out,
                                        ctx.input(3).data<float>(),
                                        ctx.input(4).data<float>(),
                                        ctx.input(1).data<float>(),
                                        slope,
                                        static_cast<double>(layout.outer * layout.inner),
                                        factor_,
                                        attrs_.epsilon};
    return cuda::SumChannels<T>(ctx, layout, DistanceTerms<T>{x}, finish);
  }

  Status Take(OpContext& ctx, int64_t channels, const Statistics& out, float* slope) const {
    const size_t bytes = static_cast<size_t>(channels) * sizeof(float);
    for (float* p : {out.mean, out.saved_mean}) DF_TRY(cuda::EnqueueBytes(ctx, ctx.input(3).raw(), p, bytes));
    for (float* p : {out.variance, out.saved_variance}) {
      DF_TRY(cuda::EnqueueBytes(ctx, ctx.input(4).raw(), p, bytes));
    }
    return cuda::Launch(ctx, channels, &MakeSlopes, ctx.input(1).data<float>(), ctx.input(4).data<float>(),
                        attrs_.epsilon, slope, channels);
  }

  const BatchNormAttrs attrs_;
  const double factor_;
  bool has_relu_ = false;
};

// The coefficients by channel: dx = slope ((dy - level) - inclination d), in this order so that what cancels cancels
// exactly.
struct Coefficients {
  float* slope;
  float* inclination;
  float* level;
};

// Sums of dy, and of dy times the distances of x from the mean.
template <class T>
struct GradientTerms {
  const T* dy;
  const T* x;
  const float* mean;

  struct Element {
    T dy;
    T x;
  };
  template <int kWidth>
  struct Elements {
    cuda::ElementVector<T, kWidth> dy;
    cuda::ElementVector<T, kWidth> x;
    DF_HOST_DEVICE Element At(int k) const { return {dy.at[k], x.at[k]}; }
  };
  template <int kWidth>
  DF_DEVICE_FUNCTION Elements<kWidth> Load(int64_t i) const {
    return {cuda::LoadVector<kWidth>(dy + i), cuda::LoadVector<kWidth>(x + i)};
  }
  struct Channel {
    float mean;
    DF_HOST_DEVICE ChannelTotals operator()(const Element& element) const {
      const auto gradient = static_cast<float>(element.dy);
      return {gradient, gradient * (static_cast<float>(element.x) - mean)};
    }
  };
  DF_HOST_DEVICE Channel Of(int64_t channel, int64_t /*first*/) const { return {mean[channel]}; }
  bool is_aligned() const { return cuda::IsVectorAligned(dy) && cuda::IsVectorAligned(x); }
};

struct FinishGradient {
  const float* scale;
  const float* variance;
  double epsilon;
  double count;
  bool is_training;
  Coefficients k;
  float* scale_backprop;
  float* offset_backprop;

  DF_HOST_DEVICE void operator()(int64_t c, int64_t /*first*/, const ChannelTotals& sums) const {
    const double r = 1 / std::sqrt(variance[c] + epsilon);
    offset_backprop[c] = static_cast<float>(sums.a);
    scale_backprop[c] = static_cast<float>(sums.b * r);
    k.slope[c] = static_cast<float>(scale[c] * r);
    k.inclination[c] = is_training ? static_cast<float>(r * r * sums.b / count) : 0;
    k.level[c] = is_training ? static_cast<float>(sums.a / count) : 0;
  }
};

template <class T>
struct GradientMap {
  const T* dy;
  const T* x;
  T* dx;
  const float* mean;
  Coefficients k;

  template <int kWidth>
  struct Channels {
    float mean[kWidth];
    float slope[kWidth];
    float inclination[kWidth];
    float level[kWidth];
  };
  template <int kWidth>
  DF_DEVICE_FUNCTION Channels<kWidth> Load(int64_t channel) const {
    Channels<kWidth> of;
    for (int j = 0; j < kWidth; ++j) {
      of.mean[j] = mean[channel + j];
      of.slope[j] = k.slope[channel + j];
      of.inclination[j] = k.inclination[channel + j];
      of.level[j] = k.level[channel + j];
    }
    return of;
  }
  template <int kWidth>
  DF_DEVICE_FUNCTION void Apply(const Channels<kWidth>& of, int64_t i) const {
    const auto gradients = cuda::LoadVector<kWidth>(dy + i);
    const auto from = cuda::LoadVector<kWidth>(x + i);
    cuda::ElementVector<T, kWidth> to;
    for (int j = 0; j < kWidth; ++j) {
      const float distance = static_cast<float>(from.at[j]) - of.mean[j];
      to.at[j] = static_cast<T>(of.slope[j] *
                                ((static_cast<float>(gradients.at[j]) - of.level[j]) - of.inclination[j] * distance));
    }
    cuda::StoreVector<kWidth>(dx + i, to);
  }
  bool is_aligned() const { return cuda::IsVectorAligned(dy) && cuda::IsVectorAligned(x) && cuda::IsVectorAligned(dx); }
};

// y_backprop, x, scale, mean, variance to x_backprop, scale_backprop, offset_backprop and two outputs that hold
// nothing.
template <class T>
class GpuBatchNormGrad final : public Kernel {
 public:
  explicit GpuBatchNormGrad(KernelSetup& setup) : attrs_(setup) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(1);
    DF_ASSIGN(const ChannelLayout layout, attrs_.Layout(x.shape()));
    DF_TRY(CheckBatchNormGrad(ctx, layout.channels));
    Tensor* outputs[3] = {};
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &outputs[0]));
    for (int i : {1, 2}) DF_TRY(ctx.AllocateOutput(i, Shape({layout.channels}), &outputs[i]));
    DF_TRY(AllocateReserves(ctx));
    DF_ASSIGN(Tensor floats, ctx.AllocateTemp(DType::kFloat, Shape({3, layout.channels})));
    const Coefficients k = {floats.data<float>(), floats.data<float>() + layout.channels,
                            floats.data<float>() + 2 * layout.channels};
    const T* const dy = ctx.input(0).data<T>();
    const float* const mean = ctx.input(3).data<float>();
    const FinishGradient finish = {ctx.input(2).data<float>(),
                                   ctx.input(4).data<float>(),
                                   attrs_.epsilon,
                                   static_cast<double>(layout.outer * layout.inner),
                                   attrs_.is_training,
                                   k,
                                   outputs[1]->data<float>(),
                                   outputs[2]->data<float>()};
    DF_TRY(cuda::SumChannels<T>(ctx, layout, GradientTerms<T>{dy, x.data<T>(), mean}, finish));
    return cuda::LaunchOverChannels<T>(ctx, layout, GradientMap<T>{dy, x.data<T>(), outputs[0]->data<T>(), mean, k});
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

  const BatchNormAttrs attrs_;
};

CUDA_KERNEL("FusedBatchNorm", KernelOf<GpuBatchNorm>, float);
CUDA_KERNEL("FusedBatchNormV2", KernelOf<GpuBatchNorm>, bfloat16, float16, float);
CUDA_KERNEL("FusedBatchNormV3", KernelOf<GpuBatchNorm>, bfloat16, float16, float);
CUDA_KERNEL("_FusedBatchNormEx", KernelOf<GpuBatchNorm>, bfloat16, float16, float);
CUDA_KERNEL("FusedBatchNormGrad", KernelOf<GpuBatchNormGrad>, float);
CUDA_KERNEL("FusedBatchNormGradV2", KernelOf<GpuBatchNormGrad>, bfloat16, float16, float);
CUDA_KERNEL("FusedBatchNormGradV3", KernelOf<GpuBatchNormGrad>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
