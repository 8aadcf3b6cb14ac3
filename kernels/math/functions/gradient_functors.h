// Gradients of element-wise functions in terms of their results, written once for host and device.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_GRADIENT_FUNCTORS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_GRADIENT_FUNCTORS_H_

#include "kernels/math/functions/element.h"
#include "kernels/math/functions/step_rounded.h"

namespace dfrun::fn {

// The order of the steps is TensorFlow's, which shows where 16-bit floating point is rounded after each.

// dy * (y * (1 - y)). The caller conjugates y, as in TensorFlow.
struct SigmoidGrad {
  using Rounding = EachStep;
  template <class T>
  DF_HOST_DEVICE T operator()(T y, T dy) const {
    return dy * (y * (T(1) - y));
  }
};

// dy * (1 - y^2). The caller conjugates y, as in TensorFlow.
struct TanhGrad {
  using Rounding = EachStep;
  template <class T>
  DF_HOST_DEVICE T operator()(T y, T dy) const {
    return dy * (T(1) - y * y);
  }
};

// SqrtGrad and those after it conjugate y themselves, as in TensorFlow, and where dy is 0 give 0 whatever y is: at 0
// the functions have no finite derivative.
template <class T>
DF_HOST_DEVICE T Conjugate(T x) {
  if constexpr (kIsComplex<T>) {
    using std::conj;
    return conj(x);
  } else {
    return x;
  }
}

template <class T>
DF_HOST_DEVICE bool IsZero(T x) {
  return x == T(0);
}
template <class T>
DF_HOST_DEVICE bool IsZero(StepRounded<T> x) {
  return float{static_cast<T>(x)} == 0.0F;
}

// dy / (2 y)
struct SqrtGrad {
  using Rounding = EachStep;
  template <class T>
  DF_HOST_DEVICE T operator()(T y, T dy) const {
    return IsZero(dy) ? T(0) : dy * (T(0.5) / Conjugate(y));
  }
};

// -dy * y^3 / 2
struct RsqrtGrad {
  using Rounding = EachStep;
  template <class T>
  DF_HOST_DEVICE T operator()(T y, T dy) const {
    const T c = Conjugate(y);
    return IsZero(dy) ? T(0) : (dy * c) * (T(-0.5) * (c * c));
  }
};

// -dy * y^2
struct ReciprocalGrad {
  using Rounding = EachStep;
  template <class T>
  DF_HOST_DEVICE T operator()(T y, T dy) const {
    const T c = Conjugate(y);
    return IsZero(dy) ? T(0) : -(dy * (c * c));
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_GRADIENT_FUNCTORS_H_
