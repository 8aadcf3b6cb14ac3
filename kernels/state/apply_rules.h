// Update rules of the optimisers, over elements. Source: TensorFlow's training_ops (functor::Apply*), whose formulas
// these are; 16-bit types compute in float and round what they store.
#ifndef DFRUN_KERNELS_STATE_APPLY_RULES_H_
#define DFRUN_KERNELS_STATE_APPLY_RULES_H_

#include <algorithm>
#include <cmath>

#include "kernels/state/update.h"

namespace dfrun::rule {

// var, alpha, delta.
template <class T>
struct GradientDescent {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 1, .delta = 2};
  explicit GradientDescent(const UpdateArgs& args) : alpha(args.scalar<T>(1)) {}
  void operator()(C& var, C delta) const { var -= alpha * delta; }
  C alpha;
};

// var, accum, lr, grad, momentum.
template <class T>
struct Momentum {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 2, .delta = 3, .flag = "use_nesterov"};
  explicit Momentum(const UpdateArgs& args) : lr(args.scalar<T>(2)), momentum(args.scalar<T>(4)), nesterov(args.flag) {}
  void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum + grad;
    var -= nesterov ? grad * lr + accum * momentum * lr : accum * lr;
  }
  C lr;
  C momentum;
  bool nesterov;
};

// var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad.
template <class T>
struct Adam {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 9, .flag = "use_nesterov"};
  explicit Adam(const UpdateArgs& args)
      : step(args.scalar<T>(5) * std::sqrt(C(1) - args.scalar<T>(4)) / (C(1) - args.scalar<T>(3))),
        beta1(args.scalar<T>(6)),
        keep2(C(1) - args.scalar<T>(7)),
        epsilon(args.scalar<T>(8)),
        nesterov(args.flag) {}
  void operator()(C& var, C& m, C& v, C grad) const {
    m += (grad - m) * (C(1) - beta1);
    v += (grad * grad - v) * keep2;
    const C direction = nesterov ? grad * (C(1) - beta1) + beta1 * m : m;
    var -= direction * step / (std::sqrt(v) + epsilon);
  }
  C step;
  C beta1;
  C keep2;
  C epsilon;
  bool nesterov;
};

// var, accum, lr, grad.
template <class T>
struct Adagrad {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 2, .delta = 3, .flag = "update_slots"};
  explicit Adagrad(const UpdateArgs& args) : lr(args.scalar<T>(2)), update_slots(args.flag) {}
  void operator()(C& var, C& accum, C grad) const {
    if (update_slots) accum += grad * grad;
    var -= grad * lr / std::sqrt(accum);
  }
  C lr;
  bool update_slots;
};

// var, accum, lr, epsilon, grad.
template <class T>
struct AdagradV2 {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 2, .delta = 4, .flag = "update_slots"};
  explicit AdagradV2(const UpdateArgs& args)
      : lr(args.scalar<T>(2)), epsilon(args.scalar<T>(3)), update_slots(args.flag) {}
  void operator()(C& var, C& accum, C grad) const {
    if (update_slots) accum += grad * grad;
    var -= grad * lr / (std::sqrt(accum) + epsilon);
  }
  C lr;
  C epsilon;
  bool update_slots;
};

// var, ms, mom, lr, rho, momentum, epsilon, grad.
template <class T>
struct RMSProp {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 7};
  explicit RMSProp(const UpdateArgs& args)
      : lr(args.scalar<T>(3)),
        keep(C(1) - args.scalar<T>(4)),
        momentum(args.scalar<T>(5)),
        epsilon(args.scalar<T>(6)) {}
  void operator()(C& var, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * keep;
    mom = mom * momentum + grad * lr / std::sqrt(epsilon + ms);
    var -= mom;
  }
  C lr;
  C keep;
  C momentum;
  C epsilon;
};

// var, mg, ms, mom, lr, rho, momentum, epsilon, grad.
template <class T>
struct CenteredRMSProp {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 4, .delta = 8};
  explicit CenteredRMSProp(const UpdateArgs& args)
      : lr(args.scalar<T>(4)),
        keep(C(1) - args.scalar<T>(5)),
        momentum(args.scalar<T>(6)),
        epsilon(args.scalar<T>(7)) {}
  void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * keep;
    mg += (grad - mg) * keep;
    mom = mom * momentum + grad * lr / std::sqrt(ms - mg * mg + epsilon);
    var -= mom;
  }
  C lr;
  C keep;
  C momentum;
  C epsilon;
};

// var, accum, accum_update, lr, rho, epsilon, grad.
template <class T>
struct Adadelta {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 6};
  explicit Adadelta(const UpdateArgs& args)
      : lr(args.scalar<T>(3)), rho(args.scalar<T>(4)), epsilon(args.scalar<T>(5)) {}
  void operator()(C& var, C& accum, C& accum_update, C grad) const {
    accum = accum * rho + grad * grad * (C(1) - rho);
    const C update = std::sqrt(accum_update + epsilon) / std::sqrt(accum + epsilon) * grad;
    var -= update * lr;
    accum_update = accum_update * rho + update * update * (C(1) - rho);
  }
  C lr;
  C rho;
  C epsilon;
};

// var, accum, linear, grad, lr, l1, l2, lr_power. With the flag, linear holds its value times lr.
template <class T>
struct Ftrl {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 3, .flag = "multiply_linear_by_lr"};
  explicit Ftrl(const UpdateArgs& args)
      : factor(args.flag ? args.scalar<T>(4) : C(1)),
        divisor(args.flag ? C(1) : args.scalar<T>(4)),
        l1(args.scalar<T>(5) * factor),
        l2(args.scalar<T>(6) * factor),
        power(-args.scalar<T>(7)) {}
  void operator()(C& var, C& accum, C& linear, C grad) const {
    const C next = accum + grad * grad;
    linear += grad * factor - (std::pow(next, power) - std::pow(accum, power)) / divisor * var;
    const C quadratic = std::pow(next, power) / divisor + C(2) * l2;
    var = (std::max(-l1, std::min(l1, linear)) - linear) / quadratic;
    accum = next;
  }
  C factor;
  C divisor;
  C l1;
  C l2;
  C power;
};

// var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad.
template <class T>
struct AdaMax {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 3, .delta = 8};
  explicit AdaMax(const UpdateArgs& args)
      : step(args.scalar<T>(4) / (C(1) - args.scalar<T>(3))),
        keep1(C(1) - args.scalar<T>(5)),
        beta2(args.scalar<T>(6)),
        epsilon(args.scalar<T>(7)) {}
  void operator()(C& var, C& m, C& v, C grad) const {
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

#endif  // DFRUN_KERNELS_STATE_APPLY_RULES_H_
