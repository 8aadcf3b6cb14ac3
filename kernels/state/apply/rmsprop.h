// RMSProp, plain and centred, as rules of updates.
//
// The formulas are those of TensorFlow's training_ops; 16-bit types compute in float and round what they store.
#ifndef DFRUN_KERNELS_STATE_APPLY_RMSPROP_H_
#define DFRUN_KERNELS_STATE_APPLY_RMSPROP_H_

#include <cmath>

#include "kernels/state/apply/root.h"
#include "kernels/state/apply/update.h"

namespace dfrun::rule {

// The shared part of the two rules. `first` is the first of the scalars lr, rho, momentum and epsilon.
template <class T>
struct RMSPropStep {
  using C = ComputeType<T>;
  DF_HOST_DEVICE RMSPropStep(const UpdateArgs& args, int first)
      : lr(args.scalar<T>(first)),
        keep(C(1) - args.scalar<T>(first + 1)),
        momentum(args.scalar<T>(first + 2)),
        epsilon(args.scalar<T>(first + 3)) {}
  // Moves a running mean towards a new value.
  DF_HOST_DEVICE void Average(C& mean, C value) const { mean += (value - mean) * keep; }
  DF_HOST_DEVICE void Step(C& var, C& mom, C grad, C variance) const {
    mom = mom * momentum + grad * lr / RootOf(variance + epsilon);
    var -= mom;
  }
  C lr;
  C keep;
  C momentum;
  C epsilon;
};

// var, ms, mom, the scalars, grad.
template <class T>
struct RMSProp : RMSPropStep<T> {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 7};
  DF_HOST_DEVICE explicit RMSProp(const UpdateArgs& args) : RMSPropStep<T>(args, 3) {}
  DF_HOST_DEVICE void operator()(C& var, C& ms, C& mom, C grad) const {
    this->Average(ms, grad * grad);
    this->Step(var, mom, grad, ms);
  }
};

// var, mg, ms, mom, the scalars, grad.
template <class T>
struct CenteredRMSProp : RMSPropStep<T> {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 4, .delta = 8};
  DF_HOST_DEVICE explicit CenteredRMSProp(const UpdateArgs& args) : RMSPropStep<T>(args, 4) {}
  DF_HOST_DEVICE void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    this->Average(ms, grad * grad);
    this->Average(mg, grad);
    this->Step(var, mom, grad, ms - mg * mg);
  }
};

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_RMSPROP_H_
