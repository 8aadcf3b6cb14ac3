// Values in a dtype that holds all values of theirs.
#ifndef DFRUN_SRC_CHECKPOINT_WEIGHTS_WIDEN_H_
#define DFRUN_SRC_CHECKPOINT_WEIGHTS_WIDEN_H_

#include "src/framework/values/tensor.h"

namespace dfrun {

// Whether each value of one dtype is one of the other: of a narrower float or integer, and of the dtype itself.
bool HoldsValuesOf(DType wide, DType narrow);

// Returns the values in the dtype, for which HoldsValuesOf() is true.
Result<Tensor> Widen(const Tensor& values, DType to);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_WEIGHTS_WIDEN_H_
