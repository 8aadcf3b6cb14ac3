// StridedSlicePlan: Python's x[begin:end:stride, ..., newaxis, i] as numbers.
#ifndef DFRUN_KERNELS_ARRAY_MOVE_STRIDED_SLICE_PLAN_H_
#define DFRUN_KERNELS_ARRAY_MOVE_STRIDED_SLICE_PLAN_H_

#include <cstdint>
#include <vector>

#include "src/framework/values/attr.h"
#include "src/framework/values/shape.h"

namespace dfrun {

struct StridedSliceMasks {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t ellipsis = 0;
  int64_t new_axis = 0;
  int64_t shrink_axis = 0;

  static Result<StridedSliceMasks> Read(const AttrMap& attrs);
};

// The part of an input's dimension that is taken. `count` may be unknown if the size of the dimension or a bound is.
struct SlicedDim {
  int64_t begin = 0;
  int64_t stride = 1;
  int64_t count = 0;  // PartialShape::kUnknown: not known
};

struct StridedSlicePlan {
  std::vector<SlicedDim> dims;  // one a dimension of the input
  PartialShape output;          // after dimensions were dropped and added
};

// The three lists have one entry a dimension of the specification; begin and end are null where they are not known yet.
// InvalidArgument for a stride of 0, too many dimensions, an index out of range.
Result<StridedSlicePlan> PlanStridedSlice(const PartialShape& input, const std::vector<int64_t>* begin,
                                          const std::vector<int64_t>* end, const std::vector<int64_t>& strides,
                                          const StridedSliceMasks& masks);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_STRIDED_SLICE_PLAN_H_
