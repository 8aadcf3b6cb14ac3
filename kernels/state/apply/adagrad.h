// Adagrad and Adadelta, which scale by the sum of the squared gradients, as rules of updates.
//
// The formulas are those of TensorFlow's training_ops; 16-bit types compute in float and round what they store.
#ifndef DFRUN_KERNELS_STATE_APPLY_ADAGRAD_H_
#define DFRUN_KERNELS_STATE_APPLY_ADAGRAD_H_

#include <cmath>

#include "kernels/state/apply/root.h"
#include "kernels/state/apply/update.h"

namespace dfrun::rule {

// var, accum, lr, grad; with an epsilon after lr.
template <class T, bool kEpsilon>
struct AdagradRule {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {
      .variables = 2, .delta = kEpsilon ? 4 : 3, .flag = "update_slots", .refuses_empty_rows = true};
  DF_HOST_DEVICE explicit AdagradRule(const UpdateArgs& args)
      : lr(args.scalar<T>(2)), epsilon(kEpsilon ? args.scalar<T>(3) : C(0)), update_slots(args.flag) {}
  DF_HOST_DEVICE void operator()(C& var, C& accum, C grad) const {
    if (update_slots) accum += grad * grad;
    var -= grad * lr / (RootOf(accum) + epsilon);
  }
  C lr;
  C epsilon;
  bool update_slots;
};
template <class T>
using Adagrad = AdagradRule<T, false>;
template <class T>
using AdagradV2 = AdagradRule<T, true>;

// var, accum, accum_update, lr, rho, epsilon, grad.
template <class T>
struct Adadelta {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 6};
  DF_HOST_DEVICE explicit Adadelta(const UpdateArgs& args)
      : lr(args.scalar<T>(3)), rho(args.scalar<T>(4)), epsilon(args.scalar<T>(5)) {}
  DF_HOST_DEVICE void operator()(C& var, C& accum, C& accum_update, C grad) const {
    accum = accum * rho + grad * grad * (C(1) - rho);
    const C update = RootOf(accum_update + epsilon) / RootOf(accum + epsilon) * grad;
    var -= update * lr;
    accum_update = accum_update * rho + update * update * (C(1) - rho);
  }
  C lr;
  C rho;
  C epsilon;
};

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_ADAGRAD_H_
