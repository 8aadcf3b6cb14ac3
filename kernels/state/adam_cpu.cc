// Adam and its variants.
#include <algorithm>

#include "kernels/state/apply_kernels.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

// What Adam and AMSGrad share, given where the scalars begin: beta1_power, beta2_power, lr, beta1, beta2, epsilon.
template <class T>
struct AdamMoments {
  using C = ComputeType<T>;
  AdamMoments(const UpdateArgs& args, int first)
      : step(args.scalar<T>(first + 2) * std::sqrt(C(1) - args.scalar<T>(first + 1)) / (C(1) - args.scalar<T>(first))),
        beta1(args.scalar<T>(first + 3)),
        keep2(C(1) - args.scalar<T>(first + 4)),
        epsilon(args.scalar<T>(first + 5)) {}
  void Accumulate(C& m, C& v, C grad) const {
    m += (grad - m) * (C(1) - beta1);
    v += (grad * grad - v) * keep2;
  }
  void Step(C& var, C direction, C v) const { var -= direction * step / (std::sqrt(v) + epsilon); }
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
  explicit Adam(const UpdateArgs& args) : AdamMoments<T>(args, 3), nesterov(args.flag) {}
  void operator()(C& var, C& m, C& v, C grad) const {
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
  explicit AdamWithAmsgrad(const UpdateArgs& args) : AdamMoments<T>(args, 4) {}
  void operator()(C& var, C& m, C& v, C& vhat, C grad) const {
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

DF_APPLY("Adam", Adam, DF_FLOATS, DF_COMPLEX);
DF_RESOURCE_APPLY("AdamWithAmsgrad", AdamWithAmsgrad, DF_FLOATS);
DF_APPLY("AdaMax", AdaMax, DF_FLOATS);

}  // namespace
}  // namespace dfrun
