// ConditionOfSelect(): the broadcasting of Select's condition against its operands.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_SELECT_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_SELECT_H_

#include "src/framework/values/shape.h"

namespace dfrun {

// The shape by which Select's condition broadcasts against its operands, with as many elements as the condition, which
// is a scalar, of the shape of the operands, or a vector that chooses rows. InvalidArgument where it is none of these
// or the operands differ in shape.
Result<Shape> ConditionOfSelect(const Shape& condition, const Shape& t, const Shape& e);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_SELECT_H_
