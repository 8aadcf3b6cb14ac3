// Precision-recall curves, as TensorBoard's plugin has them: thresholds evenly over [0, 1].
#ifndef DFRUN_KERNELS_SUMMARY_PR_CURVE_H_
#define DFRUN_KERNELS_SUMMARY_PR_CURVE_H_

#include "src/framework/values/tensor.h"

namespace dfrun {

// Counts predictions by the last threshold that they reach: float64 [2, thresholds], of those whose label is true and
// of those whose label is false. A label that is a number is true where it is above a half. A prediction below 0 or
// above 1 counts as 0 or 1; NaN is left out. InvalidArgument where the shapes differ.
Result<Tensor> CountPredictions(const Tensor& labels, const Tensor& predictions, int64_t thresholds);

// The curve of counts: float32 [6, thresholds], rows of true and false positives, true and false negatives, precision
// and recall. Where a quotient has nothing to divide by it is 0.
Tensor CurveOf(const Tensor& counts);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SUMMARY_PR_CURVE_H_
