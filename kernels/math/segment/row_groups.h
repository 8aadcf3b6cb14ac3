// RowGroups: rows of a matrix that fold into rows of another. Segment ops are built on it.
#ifndef DFRUN_KERNELS_MATH_SEGMENT_ROW_GROUPS_H_
#define DFRUN_KERNELS_MATH_SEGMENT_ROW_GROUPS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/math/reduce/reduction.h"

namespace dfrun {

// Group g is made of rows order[k] for k in [begin[g], begin[g + 1]), in this order; without an order, of rows k
// themselves.
class RowGroups {
 public:
  // Row k belongs to group ids[k], which increase and lie in [0, groups).
  static Result<RowGroups> FromSorted(OpContext& ctx, std::span<const int64_t> ids, int64_t groups);
  // Row k belongs to group ids[k] < groups; rows with a negative id are left out.
  static Result<RowGroups> FromUnsorted(OpContext& ctx, std::span<const int64_t> ids, int64_t groups);

  int64_t count() const { return begin_.num_elements() - 1; }
  int64_t size(int64_t g) const { return begin()[g + 1] - begin()[g]; }
  const int64_t* begin() const { return begin_.data<int64_t>(); }
  // Null where the rows of a group follow each other.
  const int64_t* order() const { return order_.data<int64_t>(); }
  // Row k is read as row rows[k] from now on. As many as there are ids.
  Status Rename(OpContext& ctx, std::span<const int64_t> rows);

 private:
  Tensor begin_;
  Tensor order_;
};

// Writes output row g = the fold of group g's rows of `data`, each `width` elements wide. A group without rows gets
// zeros if `empty_is_zero`, else the reducer's result for no elements. The sums of a group run in its order on one
// thread, so the result is the same on any number of threads.
void ReduceGroups(const cpu::ReductionLoops& loops, const RowGroups& groups, bool empty_is_zero, const void* data,
                  int64_t width, void* output, ThreadPool& pool);

// The number of segments of sorted ids, one more than the last; InvalidArgument unless they increase from 0 on.
Result<int64_t> CountSegments(std::span<const int64_t> ids);
// InvalidArgument unless all are in [0, limit).
Status CheckRange(std::span<const int64_t> values, int64_t limit, const char* what);

// The elements of one row, where rows are the slices after `leading` dimensions.
int64_t RowWidth(const Shape& shape, int leading);
// [rows] and the dimensions after `leading`; InvalidArgument for a negative or an overflowing size.
Result<Shape> RowsShape(int64_t rows, const Shape& shape, int leading);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_SEGMENT_ROW_GROUPS_H_
