// Follow the regularised leader, per coordinate, as rules of updates.
//
// The formulas are those of TensorFlow's training_ops; 16-bit types compute in float and round what they store.
#ifndef DFRUN_KERNELS_STATE_APPLY_FTRL_H_
#define DFRUN_KERNELS_STATE_APPLY_FTRL_H_

#include <cmath>

#include "kernels/state/apply/update.h"

namespace dfrun::rule {

// var, accum, linear, grad, lr, l1, l2, lr_power; with an l2_shrinkage before lr_power. With the flag, linear holds its
// value times lr.
template <class T, bool kShrinkage>
struct FtrlRule {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {
      .variables = 3, .delta = 3, .flag = "multiply_linear_by_lr", .refuses_empty_rows = true};
  DF_HOST_DEVICE explicit FtrlRule(const UpdateArgs& args)
      : factor(args.flag ? args.scalar<T>(4) : C(1)),
        divisor(args.flag ? C(1) : args.scalar<T>(4)),
        l1(args.scalar<T>(5) * factor),
        l2(args.scalar<T>(6) * factor),
        shrinkage(kShrinkage ? args.scalar<T>(7) : C(0)),
        power(-args.scalar<T>(kShrinkage ? 8 : 7)) {}
  // The dense op takes any, as TensorFlow's does.
  DF_HOST_DEVICE static const char* Refuse(const UpdateArgs& args, bool is_sparse) {
    if (!is_sparse) return nullptr;
    const C lr = args.scalar<T>(4);
    if (!(lr > C(0) || (args.flag && lr >= C(0)))) return "lr is not positive (nor 0 with multiply_linear_by_lr)";
    if (!(args.scalar<T>(5) >= C(0))) return "l1 is negative";
    if (!(args.scalar<T>(6) >= C(0))) return "l2 is negative";
    if (kShrinkage && !(args.scalar<T>(7) >= C(0))) return "l2_shrinkage is negative";
    return args.scalar<T>(kShrinkage ? 8 : 7) <= C(0) ? nullptr : "lr_power is positive";
  }
  DF_HOST_DEVICE void operator()(C& var, C& accum, C& linear, C grad) const {
    const C next = accum + grad * grad;
    const C slope = grad + C(2) * shrinkage * var;
    linear += slope * factor - (Power(next) - Power(accum)) / divisor * var;
    const C quadratic = Power(next) / divisor + C(2) * l2;
    const C sign = static_cast<C>((linear > C(0)) - (linear < C(0)));
    var = std::abs(linear) > l1 ? (sign * l1 - linear) / quadratic : C(0);
    accum = next;
  }
  DF_HOST_DEVICE C Power(C x) const { return power == C(0.5) ? std::sqrt(x) : std::pow(x, power); }
  C factor;
  C divisor;
  C l1;
  C l2;
  C shrinkage;
  C power;
};
template <class T>
using Ftrl = FtrlRule<T, false>;
template <class T>
using FtrlV2 = FtrlRule<T, true>;

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_FTRL_H_
