// AddSign and PowerSign, as rules of updates: steps that are larger where gradient and its running mean have the same
// sign.
//
// The formulas are those of TensorFlow's training_ops; 16-bit types compute in float and round what they store.
#ifndef DFRUN_KERNELS_STATE_APPLY_SIGN_H_
#define DFRUN_KERNELS_STATE_APPLY_SIGN_H_

#include <cmath>

#include "kernels/state/apply/update.h"

namespace dfrun::rule {

template <class C>
DF_HOST_DEVICE C Sign(C x) {
  return static_cast<C>(x > C(0)) - static_cast<C>(x < C(0));
}

// The shared part of the two rules. `first` is the first of the scalars sign_decay and beta.
template <class T>
struct SignAgreement {
  using C = ComputeType<T>;
  DF_HOST_DEVICE SignAgreement(const UpdateArgs& args, int first)
      : decay(args.scalar<T>(first)), beta(args.scalar<T>(first + 1)) {}
  // Takes the gradient into the mean m; 1, -1 or 0, decayed, for equal and other signs and none.
  DF_HOST_DEVICE C operator()(C& m, C grad) const {
    m = m * beta + grad * (C(1) - beta);
    return decay * (Sign(grad) * Sign(m));
  }
  C decay;
  C beta;
};

// var, m, lr, alpha, sign_decay, beta, grad.
template <class T>
struct AddSign {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 2, .delta = 6};
  DF_HOST_DEVICE explicit AddSign(const UpdateArgs& args)
      : lr(args.scalar<T>(2)), alpha(args.scalar<T>(3)), agreement(args, 4) {}
  DF_HOST_DEVICE void operator()(C& var, C& m, C grad) const { var -= lr * (alpha + agreement(m, grad)) * grad; }
  C lr;
  C alpha;
  SignAgreement<T> agreement;
};

// var, m, lr, logbase, sign_decay, beta, grad.
template <class T>
struct PowerSign {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 2, .delta = 6};
  DF_HOST_DEVICE explicit PowerSign(const UpdateArgs& args)
      : lr(args.scalar<T>(2)), logbase(args.scalar<T>(3)), agreement(args, 4) {}
  DF_HOST_DEVICE void operator()(C& var, C& m, C grad) const {
    var -= lr * std::exp(logbase * agreement(m, grad)) * grad;
  }
  C lr;
  C logbase;
  SignAgreement<T> agreement;
};

}  // namespace dfrun::rule

#endif  // DFRUN_KERNELS_STATE_APPLY_SIGN_H_
