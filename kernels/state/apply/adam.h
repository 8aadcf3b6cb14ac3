// Adam and its variants, as rules of updates.
//
// The formulas are those of TensorFlow's training_ops; 16-bit types compute in float and round what they store.
#ifndef DFRUN_KERNELS_STATE_APPLY_ADAM_H_
#define DFRUN_KERNELS_STATE_APPLY_ADAM_H_

#include <algorithm>
#include <cmath>

#include "kernels/state/apply/root.h"
#include "kernels/state/apply/update.h"

namespace dfrun::rule {

// The shared part of Adam and AMSGrad. `first` is the first of the scalars beta1_power, beta2_power, lr, beta1, beta2
// and epsilon.
template <class T>
struct AdamMoments {
  using C = ComputeType<T>;
  DF_HOST_DEVICE AdamMoments(const UpdateArgs& args, int first)
      : step(args.scalar<T>(first + 2) * RootOf(C(1) - args.scalar<T>(first + 1)) / (C(1) - args.scalar<T>(first))),
        beta1(args.scalar<T>(first + 3)),
        keep2(C(1) - args.scalar<T>(first + 4)),
        epsilon(args.scalar<T>(first + 5)) {}
  DF_HOST_DEVICE void Accumulate(C& m, C& v, C grad) const {
    m += (grad - m) * (C(1) - beta1);
    v += (grad * grad - v) * keep2;
  }
  DF_HOST_DEVICE void Step(C& var, C direction, C v) const { var -= direction * step / (RootOf(v) + epsilon); }
  C step;
  C beta1;
  C keep2;
  C epsilon;
};

// var, m, v, the scalars, grad.
template <class T>
struct Adam : AdamMoments<T> {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 9, .flag = "use_nesterov"};
  DF_HOST_DEVICE explicit Adam(const UpdateArgs& args) : AdamMoments<T>(args, 3), nesterov(args.flag) {}
  DF_HOST_DEVICE void operator()(C& var, C& m, C& v, C grad) const {
    this->Accumulate(m, v, grad);
    this->Step(var, nesterov ? grad * (C(1) - this->beta1) + this->beta1 * m : m, v);
  }
  bool nesterov;
};

// var, m, v, vhat, the scalars, grad.
template <class T>
struct AdamWithAmsgrad : AdamMoments<T> {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 4, .delta = 10};
  DF_HOST_DEVICE explicit AdamWithAmsgrad(const UpdateArgs& args) : AdamMoments<T>(args, 4) {}
  DF_HOST_DEVICE void operator()(C& var, C& m, C& v, C& vhat, C grad) const {
    this->Accumulate(m, v, grad);
    vhat = std::max(vhat, v);
    this->Step(var, m, vhat);
  }
};

// var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad.
template <class T>
struct AdaMax {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 8};
  DF_HOST_DEVICE explicit AdaMax(const UpdateArgs& args)
      : step(args.scalar<T>(4) / (C(1) - args.scalar<T>(3))),
        keep1(C(1) - args.scalar<T>(5)),
        beta2(args.scalar<T>(6)),
        epsilon(args.scalar<T>(7)) {}
  DF_HOST_DEVICE void operator()(C& var, C& m, C& v, C grad) const {
    m += (grad - m) * keep1;
    v = std::max(beta2 * v, std::abs(grad));
    var -= step * (m / (v + epsilon));
  }
  C step;
  C keep1;
  C beta2;
  C epsilon;
};

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_ADAM_H_
