// Plain gradient descent and momentum.
#include "kernels/state/apply_kernels.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

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

// The same inputs; accum holds steps, the learning rate in them.
template <class T>
struct KerasMomentum : Momentum<T> {
  using C = ComputeType<T>;
  using Momentum<T>::Momentum;
  void operator()(C& var, C& accum, C grad) const {
    const C step = grad * this->lr;
    accum = accum * this->momentum - step;
    var += this->nesterov ? accum * this->momentum - step : accum;
  }
};

DF_APPLY("GradientDescent", GradientDescent, DF_FLOATS, DF_COMPLEX);
DF_APPLY("Momentum", Momentum, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("Momentum", Momentum, DF_FLOATS, DF_COMPLEX);
DF_RESOURCE_APPLY("KerasMomentum", KerasMomentum, DF_FLOATS, DF_COMPLEX);
DF_RESOURCE_SPARSE_APPLY("KerasMomentum", KerasMomentum, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
