// Square roots in rules of updates.
#ifndef DFRUN_KERNELS_STATE_APPLY_ROOT_H_
#define DFRUN_KERNELS_STATE_APPLY_ROOT_H_

#include <cmath>

#include "kernels/math/functions/element.h"

namespace dfrun::rule {

// The square root, of complex numbers too, for which a device may have its own function.
template <class C>
DF_HOST_DEVICE C RootOf(C x) {
  using std::sqrt;
  return sqrt(x);
}

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_ROOT_H_
