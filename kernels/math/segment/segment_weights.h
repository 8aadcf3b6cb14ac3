// WeightOfRows(): the factor of a segment's gradient where the segment was divided by a function of its number of rows.
#ifndef DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_WEIGHTS_H_
#define DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_WEIGHTS_H_

#include <cmath>

#include "kernels/math/functions/element.h"

namespace dfrun {

enum class SegmentDivisor { kOne, kRows, kRootOfRows };

// The weight of each row of a segment with `rows` rows.
DF_HOST_DEVICE inline double WeightOfRows(SegmentDivisor divisor, double rows) {
  if (divisor == SegmentDivisor::kOne) return 1;
  const double most = rows > 1 ? rows : 1;
  return 1 / (divisor == SegmentDivisor::kRows ? most : std::sqrt(most));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_WEIGHTS_H_
