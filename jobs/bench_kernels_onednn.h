// oneDNN alone, for `dfrun bench kernels`: everything but the primitive's execution is done beforehand, filters are in
// the order that the library likes best, and its threads are its own (OpenMP's).
#ifndef DFRUN_JOBS_BENCH_KERNELS_ONEDNN_H_
#define DFRUN_JOBS_BENCH_KERNELS_ONEDNN_H_

#include <algorithm>
#include <functional>

#include "src/framework/device.h"
#include "src/framework/tensor.h"

namespace dfrun::jobs {

// A convolution of square images in NHWC with square filters and padding "SAME".
struct SquareConv {
  int64_t images, side, in_channels, out_channels, filter_side, stride;

  int64_t output_side() const { return (side + stride - 1) / stride; }
  int64_t padding() const { return std::max<int64_t>(0, (output_side() - 1) * stride + filter_side - side); }
  Shape input() const { return {images, side, side, in_channels}; }
  Shape filter() const { return {filter_side, filter_side, in_channels, out_channels}; }
  Shape output() const { return {images, output_side(), output_side(), out_channels}; }
  double multiply_adds() const {
    return static_cast<double>(output().num_elements()) * static_cast<double>(filter_side * filter_side * in_channels);
  }
};
enum class ConvPass { kForward, kInputGradient, kFilterGradient };

// Runs the primitive once on the threads it was made for. The same thread calls it that made it.
using BarePrimitive = std::function<void()>;

// Unimplemented where oneDNN is not built in or lacks the primitive. dtype: float32 or bfloat16.
// [size, size] times [size, size].
Result<BarePrimitive> BareMatMul(Device& device, int threads, DType dtype, int64_t size);
// Of float32.
Result<BarePrimitive> BareConv(Device& device, int threads, ConvPass pass, const SquareConv& conv);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_KERNELS_ONEDNN_H_
