// The bounds of ClipByValue.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_CLIP_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_CLIP_H_

#include "src/framework/values/shape.h"

namespace dfrun {

// InvalidArgument unless `bound` is a scalar or of the shape `clipped`.
inline Status CheckBound(const Shape& clipped, const Shape& bound) {
  if (bound.rank() == 0 || bound == clipped) return Status();
  return InvalidArgument("ClipByValue: the bounds must be scalars or of the shape ", clipped, ", not ", bound);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_CLIP_H_
