// Copies between a tensor and its parts along a dimension, by which tensors are joined and split.
#ifndef DFRUN_KERNELS_ARRAY_COPY_AXIS_COPY_H_
#define DFRUN_KERNELS_ARRAY_COPY_AXIS_COPY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/threads.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Elements in the dimensions before, and after `axis`.
struct AxisSplit {
  int64_t outer = 1;
  int64_t inner = 1;

  AxisSplit(const Shape& shape, int64_t axis) {
    for (int d = 0; d < axis; ++d) outer *= shape.dim(d);
    for (int d = static_cast<int>(axis) + 1; d < shape.rank(); ++d) inner *= shape.dim(d);
  }
};

// The parts, in order, of a tensor of shape `whole`: each is dense, of the same sizes but in dimension `axis`.
// Thread safety: none.
class AxisParts {
 public:
  AxisParts(DType dtype, const Shape& whole, int64_t axis)
      : dtype_(dtype), split_(whole, axis), row_(whole.dim(static_cast<int>(axis)) * split_.inner) {}

  // `size`: in that dimension. Those of all parts add up to the whole's when they are copied.
  void Add(const void* part, int64_t size) {
    parts_.push_back({static_cast<std::byte*>(const_cast<void*>(part)), size * split_.inner});
  }
  void CopyInto(ThreadPool& pool, Tensor& whole) const { Copy(pool, whole, /*into_whole=*/true); }
  void CopyFrom(ThreadPool& pool, const Tensor& whole) const { Copy(pool, whole, /*into_whole=*/false); }

  // A part and its memory, for other devices' copies.
  struct Part {
    std::byte* data;
    int64_t run;  // elements of it that lie together in the whole
  };
  const std::vector<Part>& parts() const { return parts_; }
  int64_t outer() const { return split_.outer; }
  int64_t row() const { return row_; }

 private:
  void Copy(ThreadPool& pool, const Tensor& whole, bool into_whole) const;
  bool AreCopiedByRows() const;
  void CopyRows(ThreadPool& pool, std::byte* whole, bool into_whole) const;

  const DType dtype_;
  const AxisSplit split_;
  const int64_t row_;  // elements of the whole in the axis and after it
  std::vector<Part> parts_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COPY_AXIS_COPY_H_
