// Pooling and its gradients on cards. A gradient's thread has an element of the input and looks at the windows that it
// is in, so that none is written by two.
#include <type_traits>

#include "kernels/device/cuda/launch.h"
#include "kernels/math/element.h"
#include "kernels/math/reducers.h"
#include "kernels/nn/pool_kernel.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

// The part [begin, end) of a window that lies inside the image, in one dimension.
struct CardRange {
  int64_t begin;
  int64_t end;
  static DF_HOST_DEVICE CardRange Of(const WindowDim& d, int64_t at) {
    const int64_t first = at * d.stride - d.pad_before;
    return {first > 0 ? first : 0, first + d.size < d.input ? first + d.size : d.input};
  }
  // The windows that element `at` of the input is in.
  static DF_HOST_DEVICE CardRange Over(const WindowDim& d, int64_t at) {
    const int64_t reach = at + d.pad_before - d.size + 1;
    const int64_t first = reach > 0 ? (reach + d.stride - 1) / d.stride : 0;
    const int64_t last = (at + d.pad_before) / d.stride + 1;
    return {first, last < d.output ? last : d.output};
  }
  DF_HOST_DEVICE int64_t size() const { return end > begin ? end - begin : 0; }
};

struct PoolDims {
  int64_t channels;
  WindowDim depth;
  WindowDim height;
  WindowDim width;
};

struct CardWindow {
  CardRange planes;
  CardRange rows;
  CardRange columns;
  static DF_HOST_DEVICE CardWindow Of(const PoolDims& s, int64_t plane, int64_t row, int64_t column) {
    return {CardRange::Of(s.depth, plane), CardRange::Of(s.height, row), CardRange::Of(s.width, column)};
  }
  DF_HOST_DEVICE int64_t pixels() const { return planes.size() * rows.size() * columns.size(); }
  // Calls at_pixel(number of the pixel in the image) in order.
  template <class AtPixel>
  DF_HOST_DEVICE void ForPixels(const PoolDims& s, AtPixel&& at_pixel) const {
    for (int64_t d = planes.begin; d < planes.end; ++d) {
      for (int64_t h = rows.begin; h < rows.end; ++h) {
        const int64_t row = (d * s.height.input + h) * s.width.input;
        for (int64_t w = columns.begin; w < columns.end; ++w) at_pixel(row + w);
      }
    }
  }
};

// Where element `i` of images of pixels of channels is.
struct CardPixel {
  int64_t image, plane, row, column, channel;
  static DF_HOST_DEVICE CardPixel Of(int64_t i, int64_t channels, int64_t depth, int64_t height, int64_t width) {
    const int64_t pixel = i / channels;
    const int64_t line = pixel / width;
    const int64_t plane = line / height;
    const int64_t image = plane / depth;
    return {image, plane - image * depth, line - plane * height, pixel - line * width, i - pixel * channels};
  }
};

// What a card needs of a PoolShape.
struct CardPool : PoolDims {
  int64_t input_image;
  int64_t output_image;
  explicit CardPool(const PoolShape& s)
      : PoolDims{s.channels, s.depth, s.height, s.width},
        input_image(s.input_image()),
        output_image(s.output_image()) {}
  DF_HOST_DEVICE CardPixel Output(int64_t i) const {
    return CardPixel::Of(i, channels, depth.output, height.output, width.output);
  }
  DF_HOST_DEVICE CardPixel Input(int64_t i) const {
    return CardPixel::Of(i, channels, depth.input, height.input, width.input);
  }
  DF_HOST_DEVICE int64_t OutputPixel(int64_t plane, int64_t row, int64_t column) const {
    return (plane * height.output + row) * width.output + column;
  }
  // Calls at_window(window, number of its pixel in the output) for the windows that the pixel is in, in order.
  template <class AtWindow>
  DF_HOST_DEVICE void ForWindowsOver(const CardPixel& at, AtWindow&& at_window) const {
    const CardRange planes = CardRange::Over(depth, at.plane);
    const CardRange rows = CardRange::Over(height, at.row);
    const CardRange columns = CardRange::Over(width, at.column);
    for (int64_t d = planes.begin; d < planes.end; ++d) {
      for (int64_t h = rows.begin; h < rows.end; ++h) {
        for (int64_t w = columns.begin; w < columns.end; ++w) {
          at_window(CardWindow::Of(*this, d, h, w), OutputPixel(d, h, w));
        }
      }
    }
  }
};

template <class T>
using CardMean = std::conditional_t<std::is_same_v<T, float>, double, ComputeType<T>>;

// The largest starts as the lowest finite value, and NaN is never larger.
template <class T>
DF_CARD_KERNEL void MaxOfWindows(CardPool p, const T* x, T* y, int64_t n) {
  using C = ComputeType<T>;
  const int64_t i = cuda::ThreadInGrid();
  if (i >= n) return;
  const CardPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  C largest = red::LowestOf<T>();
  CardWindow::Of(p, at.plane, at.row, at.column).ForPixels(p, [&](int64_t pixel) {
    const C value = static_cast<C>(image[pixel * p.channels]);
    largest = value > largest ? value : largest;
  });
  y[i] = static_cast<T>(largest);
}

template <class T>
DF_CARD_KERNEL void MeanOfWindows(CardPool p, const T* x, T* y, int64_t n) {
  using C = CardMean<T>;
  const int64_t i = cuda::ThreadInGrid();
  if (i >= n) return;
  const CardPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  const CardWindow window = CardWindow::Of(p, at.plane, at.row, at.column);
  C sum = 0;
  window.ForPixels(p, [&](int64_t pixel) { sum += static_cast<C>(image[pixel * p.channels]); });
  y[i] = static_cast<T>(sum / static_cast<C>(window.pixels()));
}

// To the first largest element of each window; NaN is the largest only where it comes first.
template <class T>
DF_CARD_KERNEL void MaxGradient(CardPool p, const T* x, const T* dy, T* dx, int64_t n) {
  using C = ComputeType<T>;
  using Sum = typename std::conditional_t<std::is_integral_v<T>, red::WideOf<T>, ComputeTypeOf<T>>::type;
  const int64_t i = cuda::ThreadInGrid();
  if (i >= n) return;
  const CardPixel at = p.Input(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  const T* const gradients = dy + at.image * p.output_image + at.channel;
  const int64_t mine = (at.plane * p.height.input + at.row) * p.width.input + at.column;
  Sum sum = 0;
  p.ForWindowsOver(at, [&](const CardWindow& window, int64_t output) {
    int64_t index = -1;
    C largest = C();
    window.ForPixels(p, [&](int64_t pixel) {
      const C value = static_cast<C>(image[pixel * p.channels]);
      if (index < 0 || value > largest) {
        largest = value;
        index = pixel;
      }
    });
    if (index == mine) sum += static_cast<Sum>(static_cast<C>(gradients[output * p.channels]));
  });
  dx[i] = static_cast<T>(sum);
}

template <class T>
DF_CARD_KERNEL void MeanGradient(CardPool p, const T* dy, T* dx, int64_t n) {
  using C = CardMean<T>;
  const int64_t i = cuda::ThreadInGrid();
  if (i >= n) return;
  const CardPixel at = p.Input(i);
  const T* const gradients = dy + at.image * p.output_image + at.channel;
  C sum = 0;
  p.ForWindowsOver(at, [&](const CardWindow& window, int64_t output) {
    sum += static_cast<C>(gradients[output * p.channels]) * (C(1) / static_cast<C>(window.pixels()));
  });
  dx[i] = static_cast<T>(sum);
}

template <class T, void (*kWindows)(CardPool, const T*, T*, int64_t), int kKsize>
class CardForwardPool final : public PoolKernel {
 public:
  explicit CardForwardPool(KernelSetup& setup) : PoolKernel(setup, WindowInputs{kKsize}) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const PoolShape s, ShapeOf(ctx, x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.output, &y));
    const int64_t n = y->num_elements();
    return cuda::Launch(ctx, n, kWindows, CardPool(s), x.data<T>(), y->data<T>(), n);
  }
};

// orig_input, orig_output, grad.
template <class T>
class CardMaxPoolGrad final : public PoolKernel {
 public:
  explicit CardMaxPoolGrad(KernelSetup& setup) : PoolKernel(setup, kWindowAttrs) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    const Tensor& grad = ctx.input(2);
    DF_ASSIGN(const PoolShape s, ShapeOf(ctx, x.shape()));
    if (!(y.shape() == s.output) || !(grad.shape() == s.output)) {
      return InvalidArgument(ctx.node().op->name, ": pooling ", x.shape(), " gives ", s.output, ", but orig_output is ",
                             y.shape(), " and grad ", grad.shape());
    }
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &dx));
    const int64_t n = dx->num_elements();
    return cuda::Launch(ctx, n, &MaxGradient<T>, CardPool(s), x.data<T>(), grad.data<T>(), dx->data<T>(), n);
  }
};

class CardAvgPoolGradBase : public PoolKernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"orig_input_shape"};
  using PoolKernel::PoolKernel;
};

template <class T>
class CardAvgPoolGrad final : public CardAvgPoolGradBase {
 public:
  explicit CardAvgPoolGrad(KernelSetup& setup) : CardAvgPoolGradBase(setup, kWindowAttrs) {}
  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(1);
    Shape input;
    DF_ASSIGN(const PoolShape s, ShapeOfAverages(ctx, input));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input, &dx));
    const int64_t n = dx->num_elements();
    return cuda::Launch(ctx, n, &MeanGradient<T>, CardPool(s), dy.data<T>(), dx->data<T>(), n);
  }
};

struct MaxPool {
  template <class T>
  using Kernel = CardForwardPool<T, &MaxOfWindows<T>, -1>;
};
struct AvgPool {
  template <class T>
  using Kernel = CardForwardPool<T, &MeanOfWindows<T>, -1>;
};
struct MaxPoolGrad {
  template <class T>
  using Kernel = CardMaxPoolGrad<T>;
};
struct AvgPoolGrad {
  template <class T>
  using Kernel = CardAvgPoolGrad<T>;
};

CUDA_KERNEL("MaxPool", MaxPool, DF_FLOATS, DF_SIGNED, uint8_t, uint16_t);
CUDA_KERNEL("MaxPool3D", MaxPool, bfloat16, float16, float);
CUDA_KERNEL("MaxPoolGrad", MaxPoolGrad, DF_REAL);
CUDA_KERNEL("AvgPool", AvgPool, DF_FLOATS);
CUDA_KERNEL("AvgPool3D", AvgPool, DF_FLOATS);
CUDA_KERNEL("AvgPoolGrad", AvgPoolGrad, DF_FLOATS);
CUDA_KERNEL("AvgPool3DGrad", AvgPoolGrad, DF_FLOATS);

}  // namespace
}  // namespace dfrun
