// Convolutions and their gradients on GPUs: by cuDNN, else each element of a result by a thread or, of a filter's
// gradient, by a block of threads.
#include <type_traits>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/elementwise/bias_relu_cuda.h"
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/activations.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/functors.h"
#include "kernels/nn/conv/conv_fused_ops.h"
#include "kernels/nn/conv/conv_inputs.h"
#include "kernels/nn/conv/conv_library_cuda.h"
#include "kernels/nn/norm/channel_maps_cuda.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Distances between neighbours of an image tensor, in elements.
struct ImageStrides {
  int64_t image, channel, plane, row, column;

  static ImageStrides Of(const ImageFormat& format, int64_t channels, int64_t depth, int64_t height, int64_t width) {
    const int64_t pixels = depth * height * width;
    if (format.channels_first) return {channels * pixels, pixels, height * width, width, 1};
    return {channels * pixels, 1, height * width * channels, width * channels, channels};
  }
};

// The sizes of a ConvShape in a form that device code reads.
struct GpuConv {
  int64_t images, in_channels, out_channels, group_inputs, group_outputs;
  WindowDim depth, height, width;
  bool channels_first;
  ImageStrides in, out;

  explicit GpuConv(const ConvShape& s)
      : images(s.images),
        in_channels(s.in_channels),
        out_channels(s.out_channels),
        group_inputs(s.group_inputs()),
        group_outputs(s.group_outputs()),
        depth(s.depth),
        height(s.height),
        width(s.width),
        channels_first(s.format.channels_first),
        in(ImageStrides::Of(s.format, s.in_channels, s.depth.input, s.height.input, s.width.input)),
        out(ImageStrides::Of(s.format, s.out_channels, s.depth.output, s.height.output, s.width.output)) {}

  // The offset of an element in a filter [depth, height, width, in-channels of a group, out-channels].
  DF_HOST_DEVICE int64_t FilterAt(int64_t d, int64_t h, int64_t w, int64_t ci, int64_t co) const {
    return (((d * height.size + h) * width.size + w) * group_inputs + ci) * out_channels + co;
  }
};

// The coordinates of an element of an image tensor.
struct ConvPlace {
  int64_t image, channel, plane, row, column;

  static DF_HOST_DEVICE ConvPlace Of(int64_t i, bool channels_first, int64_t channels, int64_t depth, int64_t height,
                                     int64_t width) {
    ConvPlace at;
    if (!channels_first) {
      at.channel = i % channels;
      i /= channels;
    }
    at.column = i % width;
    i /= width;
    at.row = i % height;
    i /= height;
    at.plane = i % depth;
    i /= depth;
    if (channels_first) {
      at.channel = i % channels;
      i /= channels;
    }
    at.image = i;
    return at;
  }
};

template <class T>
struct ConvSumOf {
  using type = ComputeType<T>;
};
template <class T>
requires std::is_integral_v<T>
struct ConvSumOf<T> {
  using type = WrappingType<T>;
};
template <class T>
using ConvSum = typename ConvSumOf<T>::type;

// The output element whose window has the tap `tap` at element `at` of the input; -1 where there is none.
DF_HOST_DEVICE inline int64_t OutputOfTap(const WindowDim& d, int64_t at, int64_t tap) {
  const int64_t first = at + d.pad_before - tap * d.dilation;
  if (first < 0 || first % d.stride != 0 || first / d.stride >= d.output) return -1;
  return first / d.stride;
}
// The input element of a tap of a window; -1 where it lies in the padding.
DF_HOST_DEVICE inline int64_t InputOfTap(const WindowDim& d, int64_t window, int64_t tap) {
  const int64_t at = window * d.stride - d.pad_before + tap * d.dilation;
  return at < d.input ? at : -1;
}

template <class T>
DF_DEVICE_KERNEL void ConvForward(GpuConv s, const T* x, const T* filter, cuda::BiasAndRelu<T> epilogue, T* y,
                                  int64_t n) {
  using C = ConvSum<T>;
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const ConvPlace at =
      ConvPlace::Of(i, s.channels_first, s.out_channels, s.depth.output, s.height.output, s.width.output);
  const int64_t first = at.channel / s.group_outputs * s.group_inputs;
  C sum = 0;
  for (int64_t kd = 0; kd < s.depth.size; ++kd) {
    const int64_t d = InputOfTap(s.depth, at.plane, kd);
    if (d < 0) continue;
    for (int64_t kh = 0; kh < s.height.size; ++kh) {
      const int64_t h = InputOfTap(s.height, at.row, kh);
      if (h < 0) continue;
      for (int64_t kw = 0; kw < s.width.size; ++kw) {
        const int64_t w = InputOfTap(s.width, at.column, kw);
        if (w < 0) continue;
        const T* const pixel = x + at.image * s.in.image + d * s.in.plane + h * s.in.row + w * s.in.column;
        for (int64_t c = 0; c < s.group_inputs; ++c) {
          sum += static_cast<C>(pixel[(first + c) * s.in.channel]) *
                 static_cast<C>(filter[s.FilterAt(kd, kh, kw, c, at.channel)]);
        }
      }
    }
  }
  y[i] = epilogue(static_cast<T>(sum), at.channel);
}

template <class T>
DF_DEVICE_KERNEL void ConvToInput(GpuConv s, const T* dy, const T* filter, T* dx, int64_t n) {
  using C = ConvSum<T>;
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const ConvPlace at = ConvPlace::Of(i, s.channels_first, s.in_channels, s.depth.input, s.height.input, s.width.input);
  const int64_t group = at.channel / s.group_inputs;
  const int64_t in_group = at.channel - group * s.group_inputs;
  const int64_t first = group * s.group_outputs;
  C sum = 0;
  for (int64_t kd = 0; kd < s.depth.size; ++kd) {
    const int64_t d = OutputOfTap(s.depth, at.plane, kd);
    if (d < 0) continue;
    for (int64_t kh = 0; kh < s.height.size; ++kh) {
      const int64_t h = OutputOfTap(s.height, at.row, kh);
      if (h < 0) continue;
      for (int64_t kw = 0; kw < s.width.size; ++kw) {
        const int64_t w = OutputOfTap(s.width, at.column, kw);
        if (w < 0) continue;
        const T* const pixel = dy + at.image * s.out.image + d * s.out.plane + h * s.out.row + w * s.out.column;
        for (int64_t c = first; c < first + s.group_outputs; ++c) {
          sum += static_cast<C>(pixel[c * s.out.channel]) * static_cast<C>(filter[s.FilterAt(kd, kh, kw, in_group, c)]);
        }
      }
    }
  }
  dx[i] = static_cast<T>(sum);
}

template <class C>
struct AddSums {
  DF_HOST_DEVICE C operator()(C a, C b) const { return a + b; }
};

template <class T>
DF_DEVICE_KERNEL void ConvToFilter(GpuConv s, const T* x, const T* dy, T* df) {
  using C = ConvSum<T>;
  int64_t tap = cuda::GlobalBlockId();
  const int64_t out_channel = tap % s.out_channels;
  tap /= s.out_channels;
  const int64_t in_channel = out_channel / s.group_outputs * s.group_inputs + tap % s.group_inputs;
  tap /= s.group_inputs;
  const int64_t kw = tap % s.width.size;
  tap /= s.width.size;
  const int64_t kh = tap % s.height.size;
  const int64_t kd = tap / s.height.size;
  const int64_t pixels = s.images * s.depth.output * s.height.output * s.width.output;
  C mine = 0;
  for (int64_t i = cuda::ThreadInBlock(); i < pixels; i += cuda::kBlockThreads) {
    const ConvPlace at = ConvPlace::Of(i, true, 1, s.depth.output, s.height.output, s.width.output);
    const int64_t d = InputOfTap(s.depth, at.plane, kd);
    const int64_t h = InputOfTap(s.height, at.row, kh);
    const int64_t w = InputOfTap(s.width, at.column, kw);
    if (d < 0 || h < 0 || w < 0) continue;
    const T from =
        x[at.image * s.in.image + d * s.in.plane + h * s.in.row + w * s.in.column + in_channel * s.in.channel];
    const T by = dy[at.image * s.out.image + at.plane * s.out.plane + at.row * s.out.row + at.column * s.out.column +
                    out_channel * s.out.channel];
    mine += static_cast<C>(from) * static_cast<C>(by);
  }
  const C sum = cuda::BlockReduce(mine, AddSums<C>());
  if (cuda::ThreadInBlock() == 0) df[cuda::GlobalBlockId()] = static_cast<T>(sum);
}

template <ConvKind kKind, MakeConvShape kMakeShape>
struct Convolution {
  template <class T>
  class Kernel final : public ConvInputsKernel<kKind> {
   public:
    explicit Kernel(KernelSetup& setup) : ConvInputsKernel<kKind>(setup, kMakeShape), library_(setup, kKind) {}

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const ConvShape shape, this->ReadShape(ctx));
      DF_ASSIGN(const Shape result_shape, this->ResultShape(shape, ctx));
      Tensor* result = nullptr;
      DF_TRY(ctx.AllocateOutput(0, result_shape, &result));
      const int64_t n = result->num_elements();
      if (n == 0) return Status();
      const Tensor& a = ctx.input(InputsOf(kKind).a);
      const Tensor& b = ctx.input(InputsOf(kKind).b);
      if (a.num_elements() == 0 || b.num_elements() == 0) {
        return cuda::EnqueueZeros(ctx, result->raw(), result->num_bytes());
      }
      DF_ASSIGN(const bool is_done, library_.Run(ctx, shape, a, b, nullptr, *result));
      if (is_done) return Status();
      const GpuConv conv(shape);
      if constexpr (kKind == ConvKind::kForward) {
        return cuda::Launch(ctx, n, &ConvForward<T>, conv, a.data<T>(), b.data<T>(), cuda::BiasAndRelu<T>(),
                            result->data<T>(), n);
      } else if constexpr (kKind == ConvKind::kBackpropInput) {
        return cuda::Launch(ctx, n, &ConvToInput<T>, conv, a.data<T>(), b.data<T>(), result->data<T>(), n);
      } else {
        return cuda::LaunchWithBarriers(ctx, n, &ConvToFilter<T>, conv, a.data<T>(), b.data<T>(), result->data<T>());
      }
    }

   private:
    cuda::ConvByLibrary library_;
  };
};

// The epilogue of a finished convolution whose channels are last: the bias, then the Relu.
template <class T>
struct EndMap {
  T* y;
  cuda::BiasAndRelu<T> end;

  template <int kWidth>
  struct Channels {
    int64_t first;
  };
  template <int kWidth>
  DF_DEVICE_FUNCTION Channels<kWidth> Load(int64_t channel) const {
    return {channel};
  }
  template <int kWidth>
  DF_DEVICE_FUNCTION void Apply(const Channels<kWidth>& of, int64_t i) const {
    auto values = cuda::LoadVector<kWidth>(y + i);
    for (int k = 0; k < kWidth; ++k) values.at[k] = end(values.at[k], of.first + k);
    cuda::StoreVector<kWidth>(y + i, values);
  }
  bool is_aligned() const { return cuda::IsVectorAligned(y); }
};

// A convolution with the epilogue that its attr fused_ops names.
template <class T>
class FusedConvKernel final : public ConvInputsKernel<ConvKind::kForward> {
 public:
  explicit FusedConvKernel(KernelSetup& setup)
      : ConvInputsKernel<ConvKind::kForward>(setup, &ConvShape::Of),
        ops_(setup),
        library_(setup, ConvKind::kForward, cuda::ConvEpilogue::kBias),
        plain_(setup, ConvKind::kForward) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ConvShape shape, this->ReadShape(ctx));
    DF_TRY(FusedConvOps::CheckBias(ctx, shape));
    Tensor* result = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape.output(), &result));
    const int64_t n = result->num_elements();
    if (n == 0) return Status();
    const Tensor& x = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    const Tensor& bias = ctx.input(2);
    DF_ASSIGN(const bool is_done, library_.Run(ctx, shape, x, filter, bias.raw(), *result));
    if (is_done && !ops_.has_relu()) return Status();
    if (is_done) return cuda::LaunchMap(ctx, result->data<T>(), result->data<T>(), n, cuda::ReluOf<T>());
    const cuda::BiasAndRelu<T> epilogue = {bias.data<T>(), ops_.has_relu()};
    // Sizes for which the library has no way that also adds a bias.
    DF_ASSIGN(const bool is_convolved, plain_.Run(ctx, shape, x, filter, nullptr, *result));
    if (is_convolved) {
      const ChannelLayout layout = {n / shape.out_channels, shape.out_channels, 1};
      return cuda::LaunchOverChannels<T>(ctx, layout, EndMap<T>{result->data<T>(), epilogue});
    }
    return cuda::Launch(ctx, n, &ConvForward<T>, GpuConv(shape), x.data<T>(), filter.data<T>(), epilogue,
                        result->data<T>(), n);
  }

 private:
  const FusedConvOps ops_;
  cuda::ConvByLibrary library_;
  cuda::ConvByLibrary plain_;
};

template <ConvKind kKind>
using Dense = Convolution<kKind, &ConvShape::Of>;
template <ConvKind kKind>
using Depthwise = Convolution<kKind, &ConvShape::OfDepthwise>;

CUDA_KERNEL("Conv2D", Dense<ConvKind::kForward>, DF_FLOATS, int32_t);
CUDA_KERNEL("_FusedConv2D", KernelOf<FusedConvKernel>, DF_FLOATS);
CUDA_KERNEL("Conv2DBackpropInput", Dense<ConvKind::kBackpropInput>, DF_FLOATS, int32_t);
CUDA_KERNEL("Conv2DBackpropFilter", Dense<ConvKind::kBackpropFilter>, DF_FLOATS);
CUDA_KERNEL("Conv3D", Dense<ConvKind::kForward>, DF_FLOATS);
CUDA_KERNEL("Conv3DBackpropInputV2", Dense<ConvKind::kBackpropInput>, DF_FLOATS);
CUDA_KERNEL("Conv3DBackpropFilterV2", Dense<ConvKind::kBackpropFilter>, DF_FLOATS);
CUDA_KERNEL("DepthwiseConv2dNative", Depthwise<ConvKind::kForward>, DF_FLOATS);
CUDA_KERNEL("DepthwiseConv2dNativeBackpropInput", Depthwise<ConvKind::kBackpropInput>, DF_FLOATS);
CUDA_KERNEL("DepthwiseConv2dNativeBackpropFilter", Depthwise<ConvKind::kBackpropFilter>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
