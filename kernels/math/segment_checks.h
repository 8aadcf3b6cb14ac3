// What segment ops ask of their inputs' shapes, on any device.
#ifndef DFRUN_KERNELS_MATH_SEGMENT_CHECKS_H_
#define DFRUN_KERNELS_MATH_SEGMENT_CHECKS_H_

#include "src/framework/kernel.h"

namespace dfrun {

// Of sorted ids, input 1: one for each row of `data`, input 0.
Status CheckSegments(const OpContext& ctx);
// Of ids anywhere, input 1: `data`, input 0, begins with their shape.
Status CheckUnsortedSegments(const OpContext& ctx);
// Of rows picked by index: inputs are data, indices and sorted ids.
Status CheckSparseSegments(const OpContext& ctx);
// Of their gradients: inputs are grad, indices, ids, and the rows of the differentiated tensor, which are `rows`.
Status CheckSparseSegmentGrad(const OpContext& ctx, int64_t rows);

// InvalidArgument for a number of segments that sorted ids up to `last` cannot have; else one more than it.
Result<int64_t> SegmentsUpTo(int64_t last);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_SEGMENT_CHECKS_H_
