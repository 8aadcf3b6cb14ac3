// RMSProp, plain and centred.
#include "kernels/state/apply_kernels.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

// What both share, given where the scalars begin: lr, rho, momentum, epsilon.
template <class T>
struct RMSPropStep {
  using C = ComputeType<T>;
  RMSPropStep(const UpdateArgs& args, int first)
      : lr(args.scalar<T>(first)),
        keep(C(1) - args.scalar<T>(first + 1)),
        momentum(args.scalar<T>(first + 2)),
        epsilon(args.scalar<T>(first + 3)) {}
  // Moves a running mean towards a new value.
  void Average(C& mean, C value) const { mean += (value - mean) * keep; }
  void Step(C& var, C& mom, C grad, C variance) const {
    mom = mom * momentum + grad * lr / std::sqrt(variance + epsilon);
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
  explicit RMSProp(const UpdateArgs& args) : RMSPropStep<T>(args, 3) {}
  void operator()(C& var, C& ms, C& mom, C grad) const {
    this->Average(ms, grad * grad);
    this->Step(var, mom, grad, ms);
  }
};

// var, mg, ms, mom, the scalars, grad.
template <class T>
struct CenteredRMSProp : RMSPropStep<T> {
  using C = ComputeType<T>;
  static constexpr UpdateLayout kLayout = {.variables = 4, .delta = 8};
  explicit CenteredRMSProp(const UpdateArgs& args) : RMSPropStep<T>(args, 4) {}
  void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    this->Average(ms, grad * grad);
    this->Average(mg, grad);
    this->Step(var, mom, grad, ms - mg * mg);
  }
};

DF_APPLY("RMSProp", RMSProp, DF_FLOATS, DF_COMPLEX);
DF_APPLY("CenteredRMSProp", CenteredRMSProp, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("RMSProp", RMSProp, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("CenteredRMSProp", CenteredRMSProp, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
