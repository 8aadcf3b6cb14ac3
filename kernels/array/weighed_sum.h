// The gradient of a scalar that an op puts at several places of its output.
#ifndef DFRUN_KERNELS_ARRAY_WEIGHED_SUM_H_
#define DFRUN_KERNELS_ARRAY_WEIGHED_SUM_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

// The sum of dy(0) times `weights`, which have its shape: 1 where the scalar went, else 0.
inline Output WeighedSum(GradientBuilder& g, Output weights) {
  const Output flat = g.Op("Reshape", g.Op("Mul", g.dy(0), weights), g.Const<int32_t>({-1}));
  return g.Op("Sum", flat, g.Const<int32_t>({0}));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_WEIGHED_SUM_H_
