// A tensor seen from one of its dimensions: [outer, size, inner].
#ifndef DFRUN_KERNELS_MATH_REDUCE_AXIS_LOOPS_H_
#define DFRUN_KERNELS_MATH_REDUCE_AXIS_LOOPS_H_

#include <cstdint>

#include "src/framework/values/shape.h"

namespace dfrun {

struct AxisLoops {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;

  AxisLoops(const Shape& shape, int axis) : size(shape.dim(axis)) {
    for (int d = 0; d < axis; ++d) outer *= shape.dim(d);
    for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape.dim(d);
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_REDUCE_AXIS_LOOPS_H_
