// Descent with a proximal step, which shrinks towards zero by l1 and l2, and dual averaging, as rules of updates.
//
// The formulas are those of TensorFlow's training_ops; 16-bit types compute in float and round what they store.
#ifndef DFRUN_KERNELS_STATE_APPLY_PROXIMAL_H_
#define DFRUN_KERNELS_STATE_APPLY_PROXIMAL_H_

#include <algorithm>
#include <cmath>

#include "kernels/state/apply/update.h"

namespace dfrun::rule {

// x moved towards zero by `by`, and no further.
template <class C>
DF_HOST_DEVICE C Shrink(C x, C by) {
  return by > C(0) ? std::copysign(std::max(std::abs(x) - by, C(0)), x) : x;
}

// var, alpha, l1, l2, delta.
template <class T>
struct ProximalGradientDescent {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 1, .delta = 4, .refuses_empty_rows = true};
  DF_HOST_DEVICE explicit ProximalGradientDescent(const UpdateArgs& args)
      : lr(args.scalar<T>(1)), l1(args.scalar<T>(2)), l2(args.scalar<T>(3)) {}
  DF_HOST_DEVICE void operator()(C& var, C grad) const { var = Shrink(var - grad * lr, lr * l1) / (C(1) + l2 * lr); }
  C lr;
  C l1;
  C l2;
};

// var, accum, lr, l1, l2, grad.
template <class T>
struct ProximalAdagrad {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 2, .delta = 5, .refuses_empty_rows = true};
  DF_HOST_DEVICE explicit ProximalAdagrad(const UpdateArgs& args)
      : lr(args.scalar<T>(2)), l1(args.scalar<T>(3)), l2(args.scalar<T>(4)) {}
  DF_HOST_DEVICE static const char* Refuse(const UpdateArgs& args, bool /*is_sparse*/) {
    if (!(args.scalar<T>(2) > C(0))) return "lr is not positive";
    if (!(args.scalar<T>(3) >= C(0))) return "l1 is negative";
    return args.scalar<T>(4) >= C(0) ? nullptr : "l2 is negative";
  }
  DF_HOST_DEVICE void operator()(C& var, C& accum, C grad) const {
    accum += grad * grad;
    const C rate = lr / std::sqrt(accum);
    var = Shrink(var - grad * rate, rate * l1) / (C(1) + l2 * rate);
  }
  C lr;
  C l1;
  C l2;
};

// var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step.
template <class T>
struct AdagradDA {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 3, .refuses_empty_rows = true};
  DF_HOST_DEVICE explicit AdagradDA(const UpdateArgs& args)
      : lr(args.scalar<T>(4)),
        l1(args.scalar<T>(5) * static_cast<C>(args.scalar<int64_t>(7))),
        l2(args.scalar<T>(6) * static_cast<C>(args.scalar<int64_t>(7)) * lr) {}
  DF_HOST_DEVICE void operator()(C& var, C& sum, C& squares, C grad) const {
    sum += grad;
    squares += grad * grad;
    var = -lr * Shrink(sum, l1) / (l2 + std::sqrt(squares));
  }
  C lr;
  C l1;
  C l2;
};

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_PROXIMAL_H_
