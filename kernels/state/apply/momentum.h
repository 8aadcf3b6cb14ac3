// Plain gradient descent and momentum, as rules of updates.
//
// The formulas are those of TensorFlow's training_ops; 16-bit types compute in float and round what they store.
#ifndef DFRUN_KERNELS_STATE_APPLY_MOMENTUM_H_
#define DFRUN_KERNELS_STATE_APPLY_MOMENTUM_H_

#include <cmath>

#include "kernels/state/apply/update.h"

namespace dfrun::rule {

// var, alpha, delta.
template <class T>
struct GradientDescent {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 1, .delta = 2};
  DF_HOST_DEVICE explicit GradientDescent(const UpdateArgs& args) : alpha(args.scalar<T>(1)) {}
  DF_HOST_DEVICE void operator()(C& var, C delta) const { var -= alpha * delta; }
  C alpha;
};

// var, accum, lr, grad, momentum.
template <class T>
struct Momentum {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 2, .delta = 3, .flag = "use_nesterov"};
  DF_HOST_DEVICE explicit Momentum(const UpdateArgs& args)
      : lr(args.scalar<T>(2)), momentum(args.scalar<T>(4)), nesterov(args.flag) {}
  DF_HOST_DEVICE void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum + grad;
    var -= nesterov ? grad * lr + accum * momentum * lr : accum * lr;
  }
  C lr;
  C momentum;
  bool nesterov;
};

// Momentum as Keras computes it, on Momentum's inputs; accum holds steps, the learning rate in them.
template <class T>
struct KerasMomentum : Momentum<T> {
  using C = ComputeType<T>;
  DF_HOST_DEVICE explicit KerasMomentum(const UpdateArgs& args) : Momentum<T>(args) {}
  DF_HOST_DEVICE void operator()(C& var, C& accum, C grad) const {
    const C step = grad * this->lr;
    accum = accum * this->momentum - step;
    var += this->nesterov ? accum * this->momentum - step : accum;
  }
};

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_MOMENTUM_H_
