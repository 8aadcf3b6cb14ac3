// Sums and products up to each element of a line, on any device.
#ifndef DFRUN_KERNELS_MATH_CUMULATIVE_H_
#define DFRUN_KERNELS_MATH_CUMULATIVE_H_

#include <string_view>

#include "kernels/math/axis_loops.h"
#include "kernels/math/element.h"
#include "src/framework/inference.h"
#include "src/framework/kernel.h"

namespace dfrun {

class CumulativeBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"axis"};
  explicit CumulativeBase(KernelSetup& setup)
      : exclusive_(setup.attr<bool>("exclusive")), reverse_(setup.attr<bool>("reverse")) {}

 protected:
  // Input 0 as lines along the axis that input 1 names.
  static Result<AxisLoops> ReadLoops(const OpContext& ctx) {
    const Tensor& axis = ctx.input(1);
    if (axis.shape().rank() != 0) return InvalidArgument("the axis has shape ", axis.shape(), ", but must be a scalar");
    const int64_t value = axis.dtype() == DType::kInt64 ? axis.scalar<int64_t>() : axis.scalar<int32_t>();
    DF_ASSIGN(const int64_t canonical, CanonicalAxis(value, ctx.input(0).shape().rank()));
    return AxisLoops(ctx.input(0).shape(), static_cast<int>(canonical));
  }
  const bool exclusive_;
  const bool reverse_;
};

// The next element of a line, and the fold before or after it.
template <class R, class T>
DF_HOST_DEVICE void CumulativeStep(bool exclusive, typename R::template Accumulator<T>& sum, const T& x, T& y,
                                   int64_t before) {
  if (exclusive) y = R::template Finish<T>(sum, before);
  sum = R::Combine(sum, R::template Lift<T>(static_cast<ComputeType<T>>(x)));
  if (!exclusive) y = R::template Finish<T>(sum, before);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_CUMULATIVE_H_
