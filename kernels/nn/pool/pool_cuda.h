// The forms of pooling's sizes that GPU functions read. A gradient's thread has an element of the input and looks at
// the windows that it is in, so that no two threads write the same element.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_CUDA_H_
#define DFRUN_KERNELS_NN_POOL_POOL_CUDA_H_

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/vector_cuda.h"
#include "kernels/nn/pool/pool_kernel.h"

namespace dfrun::cuda {

// The part [begin, end) of a window that lies inside the image, in one dimension.
struct GpuRange {
  int64_t begin;
  int64_t end;
  static DF_HOST_DEVICE GpuRange Of(const WindowDim& d, int64_t at) {
    const int64_t first = at * d.stride - d.pad_before;
    return {first > 0 ? first : 0, first + d.size < d.input ? first + d.size : d.input};
  }
  // The windows that element `at` of the input is in.
  static DF_HOST_DEVICE GpuRange Over(const WindowDim& d, int64_t at) {
    const int64_t reach = at + d.pad_before - d.size + 1;
    const int64_t first = reach > 0 ? (reach + d.stride - 1) / d.stride : 0;
    const int64_t last = (at + d.pad_before) / d.stride + 1;
    return {first, last < d.output ? last : d.output};
  }
  DF_HOST_DEVICE int64_t size() const { return end > begin ? end - begin : 0; }
  DF_HOST_DEVICE bool Has(int64_t at) const { return at >= begin && at < end; }
};

struct PoolDims {
  int64_t channels;
  WindowDim depth;
  WindowDim height;
  WindowDim width;
};

struct GpuWindow {
  GpuRange planes;
  GpuRange rows;
  GpuRange columns;
  static DF_HOST_DEVICE GpuWindow Of(const PoolDims& s, int64_t plane, int64_t row, int64_t column) {
    return {GpuRange::Of(s.depth, plane), GpuRange::Of(s.height, row), GpuRange::Of(s.width, column)};
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

// The coordinates of element `i` in images of pixels of channels.
struct GpuPixel {
  int64_t image, plane, row, column, channel;
  static DF_HOST_DEVICE GpuPixel Of(int64_t i, int64_t channels, int64_t depth, int64_t height, int64_t width) {
    const int64_t pixel = i / channels;
    const int64_t line = pixel / width;
    const int64_t plane = line / height;
    const int64_t image = plane / depth;
    return {image, plane - image * depth, line - plane * height, pixel - line * width, i - pixel * channels};
  }
};

// The sizes of a PoolShape in a form that device code reads.
struct GpuPool : PoolDims {
  int64_t input_image;
  int64_t output_image;
  explicit GpuPool(const PoolShape& s)
      : PoolDims{s.channels, s.depth, s.height, s.width},
        input_image(s.input_image()),
        output_image(s.output_image()) {}
  DF_HOST_DEVICE GpuPixel Output(int64_t i) const {
    return GpuPixel::Of(i, channels, depth.output, height.output, width.output);
  }
  DF_HOST_DEVICE GpuPixel Input(int64_t i) const {
    return GpuPixel::Of(i, channels, depth.input, height.input, width.input);
  }
  DF_HOST_DEVICE int64_t InputPixel(const GpuPixel& at) const {
    return (at.plane * height.input + at.row) * width.input + at.column;
  }
  DF_HOST_DEVICE int64_t OutputPixel(int64_t plane, int64_t row, int64_t column) const {
    return (plane * height.output + row) * width.output + column;
  }
  // Calls at_window(window, number of its pixel in the output) for the windows that the pixel is in, in order.
  template <class AtWindow>
  DF_HOST_DEVICE void ForWindowsOver(const GpuPixel& at, AtWindow&& at_window) const {
    const GpuRange planes = GpuRange::Over(depth, at.plane);
    const GpuRange rows = GpuRange::Over(height, at.row);
    const GpuRange columns = GpuRange::Over(width, at.column);
    for (int64_t d = planes.begin; d < planes.end; ++d) {
      for (int64_t h = rows.begin; h < rows.end; ++h) {
        for (int64_t w = columns.begin; w < columns.end; ++w) {
          at_window(GpuWindow::Of(*this, d, h, w), OutputPixel(d, h, w));
        }
      }
    }
  }
};

// Launches Kernels::kKernel<T, width> for the `n` elements of `result`, of a width whose threads read vectors of
// channels where all data lies so. The kernel takes the pool, `data`, the result and `n`.
template <class Kernels, class T, class... Data>
Status LaunchPool(OpContext& ctx, const GpuPool& pool, int64_t n, T* result, const Data*... data) {
  constexpr int kWidth = WidthOf(sizeof(T));
  const bool is_aligned = IsVectorAligned(result) && (IsVectorAligned(data) && ...);
  if (pool.channels % kWidth == 0 && is_aligned) {
    return Launch(ctx, n / kWidth, Kernels::template kKernel<T, kWidth>, pool, data..., result, n);
  }
  return Launch(ctx, n, Kernels::template kKernel<T, 1>, pool, data..., result, n);
}

// Windows and sizes that are inputs are host memory's.
class GpuPoolKernel : public PoolKernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"ksize", "strides", "orig_input_shape"};
  using PoolKernel::PoolKernel;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_NN_POOL_POOL_CUDA_H_
