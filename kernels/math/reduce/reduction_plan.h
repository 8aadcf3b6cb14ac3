// ReductionPlan: the elements of a tensor that a reduction folds into each element of its result, as index arithmetic.
#ifndef DFRUN_KERNELS_MATH_REDUCE_REDUCTION_PLAN_H_
#define DFRUN_KERNELS_MATH_REDUCE_REDUCTION_PLAN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "src/base/status.h"
#include "src/framework/values/shape.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Plain arithmetic, which a host loop and a device kernel use alike.
//
// A set of loops over the input: sizes and strides in elements, outermost first.
struct StridedLoops {
  static constexpr int kMaxDims = 8;
  int rank = 0;
  int64_t count = 1;  // iterations
  int64_t dims[kMaxDims] = {};
  int64_t strides[kMaxDims] = {};

  // The element that iteration `index` reads, relative to the first.
  constexpr int64_t Offset(int64_t index) const {
    if (rank <= 1) return index * strides[0];
    int64_t offset = 0;
    for (int d = rank - 1; d >= 0; --d) {
      offset += index % dims[d] * strides[d];
      index /= dims[d];
    }
    return offset;
  }
};

// Plans a reduction. Dimensions of size 1 are dropped and neighbours of a kind merged; the innermost in memory is split
// off as a row of contiguous elements.
struct ReductionPlan {
  bool row_is_reduced = false;  // the row folds into one output, or each of its elements into an output of its own
  int64_t row = 1;              // contiguous elements
  StridedLoops kept;            // without the row
  StridedLoops reduced;         // without the row

  constexpr int64_t num_outputs() const { return kept.count * (row_is_reduced ? 1 : row); }
  constexpr int64_t num_reduced() const {  // inputs of one output
    return reduced.count * (row_is_reduced ? row : 1);
  }
};

// The axes that an int32 or int64 tensor of rank 0 or 1 names, one bool a dimension. InvalidArgument if one is out of
// range or doubled.
Result<std::vector<bool>> ReadReductionAxes(const Tensor& axes, int rank);

// `output` gets the shape of the result. Unimplemented if more dimensions than StridedLoops holds alternate between
// kept and reduced.
Status PlanReduction(const Shape& input, const std::vector<bool>& is_reduced, bool keep_dims, ReductionPlan& plan,
                     Shape& output);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_REDUCE_REDUCTION_PLAN_H_
