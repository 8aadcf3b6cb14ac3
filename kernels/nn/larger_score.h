// LargerScore: the larger of two scores of a row, on any device.
#ifndef DFRUN_KERNELS_NN_LARGER_SCORE_H_
#define DFRUN_KERNELS_NN_LARGER_SCORE_H_

#include "kernels/math/functions/element.h"

namespace dfrun {

// The larger of two scores. A NaN that comes second is passed over: the caller subtracts the largest and meets it
// again.
struct LargerScore {
  template <class C>
  DF_HOST_DEVICE C operator()(C a, C b) const {
    return b > a ? b : a;
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_LARGER_SCORE_H_
