// Checks of segment ops' input shapes, on any device. Each returns InvalidArgument where the shapes do not fit.
#ifndef DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_CHECKS_H_
#define DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_CHECKS_H_

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Checks that the sorted ids, input 1, are one for each row of `data`, input 0.
Status CheckSegments(const OpContext& ctx);
// Checks that `data`, input 0, begins with the shape of the ids, input 1, which need not be sorted.
Status CheckUnsortedSegments(const OpContext& ctx);
// Checks segments of rows that are picked by index: the inputs are data, indices and sorted ids.
Status CheckSparseSegments(const OpContext& ctx);
// Checks the gradient of CheckSparseSegments()' ops: the inputs are grad, indices, ids, and the number of rows of the
// differentiated tensor, which is `rows`.
Status CheckSparseSegmentGrad(const OpContext& ctx, int64_t rows);

// InvalidArgument for a number of segments that sorted ids up to `last` cannot have; else one more than it.
Result<int64_t> SegmentsUpTo(int64_t last);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_CHECKS_H_
