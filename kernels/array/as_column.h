// AsColumn(): a step of the gradients of ops that take whole rows by index.
#ifndef DFRUN_KERNELS_ARRAY_AS_COLUMN_H_
#define DFRUN_KERNELS_ARRAY_AS_COLUMN_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

// The numbers in a shape that broadcasts against `rows`, whose leading dimensions are theirs.
inline Output AsColumn(GradientBuilder& g, Output numbers, Output rows) {
  const Output one = g.Const(Tensor::Scalar<int32_t>(1));
  const Output extra = g.Op("Sub", g.Op("Rank", rows), g.Op("Rank", numbers));
  const Output ones = g.Op("Fill", g.Op("Reshape", extra, g.Const<int32_t>({1})), one);
  const Output axis = g.Const(Tensor::Scalar<int32_t>(0));
  return g.Op("Reshape", numbers, g.Op("ConcatV2", AttrMap{{"N", 2}}, g.Op("Shape", numbers), ones, axis));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_AS_COLUMN_H_
