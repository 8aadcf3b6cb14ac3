// Rules that add a value to a variable or subtract it.
#ifndef DFRUN_KERNELS_STATE_APPLY_ASSIGN_BY_H_
#define DFRUN_KERNELS_STATE_APPLY_ASSIGN_BY_H_

#include "kernels/math/functions/functors.h"
#include "kernels/state/apply/update.h"

namespace dfrun::rule {

template <class F, class T>
struct AssignBy {
  static constexpr UpdateLayout kLayout = {};
  DF_HOST_DEVICE explicit AssignBy(const UpdateArgs&) {}
  DF_HOST_DEVICE void operator()(ComputeType<T>& var, ComputeType<T> value) const { var = F()(var, value); }
};
template <class T>
using AddTo = AssignBy<fn::Add, T>;
template <class T>
using SubtractFrom = AssignBy<fn::Sub, T>;

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_ASSIGN_BY_H_
