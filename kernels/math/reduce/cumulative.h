// Sums, products and linear recurrences up to each element of a line, on any device.
#ifndef DFRUN_KERNELS_MATH_REDUCE_CUMULATIVE_H_
#define DFRUN_KERNELS_MATH_REDUCE_CUMULATIVE_H_

#include <string_view>

#include "kernels/math/functions/element.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/axis_loops.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/op/inference.h"

namespace dfrun {

class CumulativeBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"axis"};
  explicit CumulativeBase(KernelSetup& setup)
      : exclusive_(setup.attr<bool>("exclusive")), reverse_(setup.attr<bool>("reverse")) {}

 protected:
  // Input 0 as lines along the axis that the last input names; the others have its shape.
  static Result<AxisLoops> ReadLoops(const OpContext& ctx) {
    const int last = ctx.num_inputs() - 1;
    for (int i = 1; i < last; ++i) {
      if (ctx.input(i).shape() == ctx.input(0).shape()) continue;
      return InvalidArgument(ctx.node().op->name, ": input ", i, " has shape ", ctx.input(i).shape(), ", but input 0 ",
                             ctx.input(0).shape());
    }
    const Tensor& axis = ctx.input(last);
    if (axis.shape().rank() != 0) return InvalidArgument("the axis has shape ", axis.shape(), ", but must be a scalar");
    const int64_t value = axis.dtype() == DType::kInt64 ? axis.scalar<int64_t>() : axis.scalar<int32_t>();
    DF_ASSIGN(const int64_t canonical, CanonicalAxis(value, ctx.input(0).shape().rank()));
    return AxisLoops(ctx.input(0).shape(), static_cast<int>(canonical));
  }
  const bool exclusive_;
  const bool reverse_;
};

// A run of steps y = slope * y' + offset as one step, of which the first y' is 0. A fold like those of reducers.h, but
// of two operands.
struct LinearSteps {
  template <class T>
  struct Accumulator {
    typename red::WideOf<T>::type slope;
    typename red::WideOf<T>::type offset;
  };
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Start() {
    using A = typename red::WideOf<T>::type;
    return {A(1), A(0)};
  }
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Lift(ComputeType<T> slope, ComputeType<T> offset) {
    using A = typename red::WideOf<T>::type;
    return {static_cast<A>(slope), static_cast<A>(offset)};
  }
  template <class S>
  DF_HOST_DEVICE static S Combine(const S& before, const S& after) {
    using A = decltype(before.offset);
    // Zero stays zero where the product of the slopes of many steps is infinite.
    const A carried = before.offset == A(0) ? A(0) : after.slope * before.offset;
    return {after.slope * before.slope, carried + after.offset};
  }
  template <class T>
  DF_HOST_DEVICE static T Finish(const Accumulator<T>& steps, int64_t) {
    return static_cast<T>(steps.offset);
  }
};

// The inputs of a fold, all of the output's shape.
template <class R, class T>
struct ReduceOperands {
  const T* x;

  static ReduceOperands Of(const OpContext& ctx) { return {static_cast<const T*>(ctx.input(0).raw())}; }
  ReduceOperands From(int64_t element) const { return {x + element}; }
  DF_HOST_DEVICE typename R::template Accumulator<T> Lift(int64_t i) const {
    return R::template Lift<T>(static_cast<ComputeType<T>>(x[i]));
  }
};
template <class T>
struct ReduceOperands<LinearSteps, T> {
  const T* slope;
  const T* offset;

  static ReduceOperands Of(const OpContext& ctx) {
    return {static_cast<const T*>(ctx.input(0).raw()), static_cast<const T*>(ctx.input(1).raw())};
  }
  ReduceOperands From(int64_t element) const { return {slope + element, offset + element}; }
  DF_HOST_DEVICE LinearSteps::Accumulator<T> Lift(int64_t i) const {
    return LinearSteps::Lift<T>(static_cast<ComputeType<T>>(slope[i]), static_cast<ComputeType<T>>(offset[i]));
  }
};

// The next element of a line, and the fold before or after it.
template <class R, class T>
DF_HOST_DEVICE void CumulativeStep(bool exclusive, typename R::template Accumulator<T>& reduce,
                                   const typename R::template Accumulator<T>& next, T& y, int64_t before) {
  if (exclusive) y = R::template Finish<T>(reduce, before);
  reduce = R::Combine(reduce, next);
  if (!exclusive) y = R::template Finish<T>(reduce, before);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_REDUCE_CUMULATIVE_H_
