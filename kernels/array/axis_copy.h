// Copies between a tensor and a stretch of a dimension of another: what joining and splitting tensors are made of.
#ifndef DFRUN_KERNELS_ARRAY_AXIS_COPY_H_
#define DFRUN_KERNELS_ARRAY_AXIS_COPY_H_

#include <cstdint>

#include "src/base/threads.h"
#include "src/framework/tensor.h"

namespace dfrun {

// Elements in the dimensions before, and from `axis` on.
struct AxisSplit {
  int64_t outer = 1;
  int64_t inner = 1;  // after the axis

  AxisSplit(const Shape& shape, int64_t axis) {
    for (int d = 0; d < axis; ++d) outer *= shape.dim(d);
    for (int d = static_cast<int>(axis) + 1; d < shape.rank(); ++d) inner *= shape.dim(d);
  }
};

// `whole` is [outer, whole_size, inner]; its [outer, begin..begin + size, inner] is the contiguous `part`.
void CopyIntoAxis(ThreadPool& pool, const Tensor& part, Tensor& whole, const AxisSplit& split, int64_t whole_size,
                  int64_t begin, int64_t size);
void CopyFromAxis(ThreadPool& pool, const Tensor& whole, Tensor& part, const AxisSplit& split, int64_t whole_size,
                  int64_t begin, int64_t size);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_AXIS_COPY_H_
