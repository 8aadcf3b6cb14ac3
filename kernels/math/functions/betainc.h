// The shape of Betainc's result, on any device.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_BETAINC_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_BETAINC_H_

#include "src/framework/kernel/op_context.h"

namespace dfrun {

// The shape of Betainc's result. Its operands have one shape, but for scalars; InvalidArgument where they do not.
inline Result<Shape> ShapeOfBetainc(const OpContext& ctx) {
  Shape common;
  for (int i = 0; i < 3; ++i) {
    const Shape& shape = ctx.input(i).shape();
    if (shape.rank() == 0) continue;
    if (common.rank() != 0 && !(common == shape))
      return InvalidArgument("Betainc: the operands must be scalars or of one shape, not ", ctx.input(0).shape(), ", ",
                             ctx.input(1).shape(), " and ", ctx.input(2).shape());
    common = shape;
  }
  return common;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_BETAINC_H_
