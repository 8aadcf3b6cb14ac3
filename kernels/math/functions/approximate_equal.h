// ApproximateEqual for every device.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_APPROXIMATE_EQUAL_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_APPROXIMATE_EQUAL_H_

#include <cmath>

#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

template <class T>
struct IsNear {
  T tolerance;
  DF_HOST_DEVICE bool operator()(T x, T y) const { return std::abs(x - y) <= tolerance; }
};

// Inputs: two tensors of one shape. Attr tolerance.
template <class T>
class ApproximateEqualKernel : public Kernel {
 public:
  explicit ApproximateEqualKernel(KernelSetup& setup) : is_near_{setup.attr<float>("tolerance")} {}

 protected:
  // InvalidArgument where the shapes differ.
  static Status AllocateResult(OpContext& ctx, Tensor** result) {
    const Shape& x = ctx.input(0).shape();
    const Shape& y = ctx.input(1).shape();
    if (!(x == y)) return InvalidArgument("ApproximateEqual of different shapes: ", x, " and ", y);
    return ctx.AllocateOutput(0, x, result);
  }

  const IsNear<T> is_near_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_APPROXIMATE_EQUAL_H_
