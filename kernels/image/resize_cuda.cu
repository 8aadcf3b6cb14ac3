// Resized images and their gradients. A gradient's thread has a pixel of the source, and adds up the contributions of
// the pixels beside it.
#include <type_traits>

#include "kernels/array/element_size.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/image/resize.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The two resized dimensions of images [batch, height, width, channels].
struct GpuResize {
  ResizeDim rows;
  ResizeDim cols;
  int64_t channels;
  bool is_same;  // nothing is resized

  GpuResize(const ResizeMode& mode, const ResizeSizes& s)
      : rows(ResizeDim::Of(mode, s.height, s.new_height)),
        cols(ResizeDim::Of(mode, s.width, s.new_width)),
        channels(s.channels),
        is_same(s.height == s.new_height && s.width == s.new_width) {}

  DF_HOST_DEVICE int64_t Source(int64_t image, int64_t row, int64_t col, int64_t channel) const {
    return ((image * rows.source + row) * cols.source + col) * channels + channel;
  }
  DF_HOST_DEVICE int64_t Resized(int64_t image, int64_t row, int64_t col, int64_t channel) const {
    return ((image * rows.resized + row) * cols.resized + col) * channels + channel;
  }
};

// The coordinates of element `i` in images of `rows` x `cols` pixels.
struct ImagePlace {
  int64_t image, row, col, channel;
  DF_HOST_DEVICE ImagePlace(int64_t i, int64_t rows, int64_t cols, int64_t channels) {
    const int64_t pixel = i / channels;
    const int64_t line = pixel / cols;
    channel = i - pixel * channels;
    col = pixel - line * cols;
    image = line / rows;
    row = line - image * rows;
  }
};

template <class T>
DF_DEVICE_KERNEL void Interpolate(GpuResize s, const T* x, float* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  if (s.is_same) {  // between two pixels of which one is infinite there would be NaN
    y[i] = static_cast<float>(x[i]);
    return;
  }
  const ImagePlace at(i, s.rows.resized, s.cols.resized, s.channels);
  const Interpolation v = s.rows.Between(at.row);
  const Interpolation h = s.cols.Between(at.col);
  const auto pixel = [&](int64_t row, int64_t col) {
    return static_cast<float>(x[s.Source(at.image, row, col, at.channel)]);
  };
  const float top = pixel(v.lower, h.lower);
  const float bottom = pixel(v.upper, h.lower);
  const float upper = top + (pixel(v.lower, h.upper) - top) * h.lerp;
  const float lower = bottom + (pixel(v.upper, h.upper) - bottom) * h.lerp;
  y[i] = upper + (lower - upper) * v.lerp;
}

template <class T>
DF_DEVICE_KERNEL void InterpolationGradient(GpuResize s, const float* dy, T* dx, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const ImagePlace at(i, s.rows.source, s.cols.source, s.channels);
  double sum = 0;
  const auto add_row = [&](int64_t row, float weight) {
    for (int64_t col = s.cols.FirstBeside(at.col); col < s.cols.EndBeside(at.col); ++col) {
      const Interpolation h = s.cols.Between(col);
      if (h.lower != at.col && h.upper != at.col) continue;
      const float share = dy[s.Resized(at.image, row, col, at.channel)] * weight;
      if (h.lower == at.col) sum += static_cast<double>(share * (1 - h.lerp));
      if (h.upper == at.col) sum += static_cast<double>(share * h.lerp);
    }
  };
  for (int64_t row = s.rows.FirstBeside(at.row); row < s.rows.EndBeside(at.row); ++row) {
    const Interpolation v = s.rows.Between(row);
    if (v.lower == at.row) add_row(row, 1 - v.lerp);
    if (v.upper == at.row) add_row(row, v.lerp);
  }
  dx[i] = static_cast<T>(sum);
}

template <class E>
DF_DEVICE_KERNEL void TakeNearest(GpuResize s, const E* x, E* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const ImagePlace at(i, s.rows.resized, s.cols.resized, s.channels);
  y[i] = x[s.Source(at.image, s.rows.Nearest(at.row), s.cols.Nearest(at.col), at.channel)];
}

// Floating point is summed in double, integers wrap around.
template <class T>
DF_DEVICE_KERNEL void NearestGradient(GpuResize s, const T* dy, T* dx, int64_t n) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const ImagePlace at(i, s.rows.source, s.cols.source, s.channels);
  Sum sum = 0;
  for (int64_t row = s.rows.FirstBeside(at.row); row < s.rows.EndBeside(at.row); ++row) {
    if (s.rows.Nearest(row) != at.row) continue;
    for (int64_t col = s.cols.FirstBeside(at.col); col < s.cols.EndBeside(at.col); ++col) {
      if (s.cols.Nearest(col) == at.col) sum += static_cast<Sum>(dy[s.Resized(at.image, row, col, at.channel)]);
    }
  }
  dx[i] = static_cast<T>(sum);
}

template <class T>
class ResizeBilinearKernel final : public ResizeKernel {
 public:
  using ResizeKernel::ResizeKernel;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ResizeSizes s, ReadResizeSizes(ctx));
    DF_TRY(CheckHasPixels(s, ctx.input(0).shape(), "nothing to interpolate"));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.new_shape(), &y));
    return cuda::Launch(ctx, y->num_elements(), &Interpolate<T>, GpuResize(mode_, s), ctx.input(0).data<T>(),
                        y->data<float>(), y->num_elements());
  }
};

template <class T>
class ResizeBilinearGradKernel final : public ResizeKernel {
 public:
  using ResizeKernel::ResizeKernel;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ResizeSizes s, ReadGradientSizes(ctx));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({s.batch, s.height, s.width, s.channels}), &dx));
    return cuda::Launch(ctx, dx->num_elements(), &InterpolationGradient<T>, GpuResize(mode_, s),
                        ctx.input(0).data<float>(), dx->data<T>(), dx->num_elements());
  }
};

class ResizeNearestKernel final : public ResizeKernel {
 public:
  using ResizeKernel::ResizeKernel;
  Status Compute(OpContext& ctx) {
    const Tensor& images = ctx.input(0);
    DF_ASSIGN(const ResizeSizes s, ReadResizeSizes(ctx));
    DF_TRY(CheckHasPixels(s, images.shape(), "no pixels to take"));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.new_shape(), &y));
    Status status;
    VisitElementOfSize(DTypeSize(images.dtype()), [&](auto tag) {
      using E = typename decltype(tag)::type;
      status = cuda::Launch(ctx, y->num_elements(), &TakeNearest<E>, GpuResize(mode_, s),
                            static_cast<const E*>(images.raw()), static_cast<E*>(y->raw()), y->num_elements());
    });
    return status;
  }
};

// Input 0 is the gradient of the resized images, input 1 the size of the original ones.
template <class T>
class ResizeNearestGradKernel final : public ResizeKernel {
 public:
  explicit ResizeNearestGradKernel(KernelSetup& setup) : ResizeKernel(setup, /*takes_both=*/true) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ResizeSizes back, ReadResizeSizes(ctx));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, back.new_shape(), &dx));
    if (dx->num_elements() == 0) return Status();
    const ResizeSizes s = {back.batch, back.new_height, back.new_width, back.channels, back.height, back.width};
    return cuda::Launch(ctx, dx->num_elements(), &NearestGradient<T>, GpuResize(mode_, s), ctx.input(0).data<T>(),
                        dx->data<T>(), dx->num_elements());
  }
};

CUDA_KERNEL("ResizeBilinear", KernelOf<ResizeBilinearKernel>, DF_FLOATS, DF_SIGNED, uint8_t, uint16_t);
CUDA_KERNEL("ResizeBilinearGrad", KernelOf<ResizeBilinearGradKernel>, DF_FLOATS);
CUDA_KERNEL_ANY("ResizeNearestNeighbor", ResizeNearestKernel);
CUDA_KERNEL("ResizeNearestNeighborGrad", KernelOf<ResizeNearestGradKernel>, DF_FLOATS, int8_t, int32_t, uint8_t);

}  // namespace
}  // namespace dfrun
