// 16-bit floating point that is rounded after every step, as TensorFlow's is.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_STEP_ROUNDED_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_STEP_ROUNDED_H_

#include <cmath>

#include "kernels/math/functions/element.h"

namespace dfrun {

// The type that a functor of two operands computes in where it says `using Rounding = EachStep;`: one of several steps,
// of which one may cancel or jump, so that it shows whether the steps before were rounded.
struct EachStep;
template <class T>
class StepRounded {
 public:
  DF_HOST_DEVICE explicit StepRounded(float x) : value_(x) {}
  DF_HOST_DEVICE explicit operator T() const { return value_; }

  friend DF_HOST_DEVICE StepRounded operator+(StepRounded a, StepRounded b) { return StepRounded(a.value_ + b.value_); }
  friend DF_HOST_DEVICE StepRounded operator-(StepRounded a, StepRounded b) { return StepRounded(a.value_ - b.value_); }
  friend DF_HOST_DEVICE StepRounded operator*(StepRounded a, StepRounded b) { return StepRounded(a.value_ * b.value_); }
  friend DF_HOST_DEVICE StepRounded operator/(StepRounded a, StepRounded b) { return StepRounded(a.value_ / b.value_); }
  friend DF_HOST_DEVICE StepRounded operator-(StepRounded a) { return StepRounded(-a.value_); }
  friend DF_HOST_DEVICE StepRounded floor(StepRounded a) { return StepRounded(std::floor(float{a.value_})); }
  friend DF_HOST_DEVICE StepRounded trunc(StepRounded a) { return StepRounded(std::trunc(float{a.value_})); }

 private:
  T value_;
};

// The type in which functor F of two operands computes elements T.
template <class F, class T>
struct BinaryComputeTypeOf {
  static constexpr bool kIs16Bit = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
  static constexpr bool kRoundsEachStep = kIs16Bit && requires { typename F::Rounding; };
  using type = std::conditional_t<kRoundsEachStep, StepRounded<T>, ComputeType<T>>;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_STEP_ROUNDED_H_
