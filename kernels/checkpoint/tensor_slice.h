// A part of a tensor as TensorFlow's shape-and-slice text names it: "4 5 0,2:-" is rows 0 and 1 of a 4x5 tensor.
#ifndef DFRUN_KERNELS_CHECKPOINT_TENSOR_SLICE_H_
#define DFRUN_KERNELS_CHECKPOINT_TENSOR_SLICE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/threads.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

struct TensorSlice {
  Shape full;                  // shape of the whole tensor
  std::vector<int64_t> start;  // one a dimension
  Shape extent;                // shape of the part

  // InvalidArgument for text of another form, and for a part that reaches out of its tensor.
  static Result<TensorSlice> Parse(std::string_view text);
  // All of a tensor of this shape.
  static TensorSlice Whole(const Shape& full);
  // "4 5 0,2:-".
  std::string ToString() const;
};

// The intersection of two parts of one tensor; nothing where it is empty.
std::optional<TensorSlice> Intersect(const TensorSlice& a, const TensorSlice& b);

// Copies the intersection of the parts `from_part` and `to_part` of one tensor. The tensors hold just their parts.
void CopyCommon(ThreadPool& pool, const TensorSlice& from_part, const Tensor& from, const TensorSlice& to_part,
                Tensor& to);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CHECKPOINT_TENSOR_SLICE_H_
