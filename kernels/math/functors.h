// Arithmetic on elements, written once for host and device.
//
// A functor takes values of ComputeType<T>. One that refuses operands has
//     static constexpr const char* kRefusal = "what is wrong";
//     template <class T> static bool Refuses(T y);   // y: the second operand
// and the engine answers InvalidArgument with that text.
// Source of the semantics: TensorFlow's CPU kernels (floor division rounds down, integer arithmetic wraps).
#ifndef DFRUN_KERNELS_MATH_FUNCTORS_H_
#define DFRUN_KERNELS_MATH_FUNCTORS_H_

#include <cmath>
#include <limits>
#include <string>

#include "kernels/math/element.h"

namespace dfrun::fn {

struct Add {
  template <class T>
  DF_HOST_DEVICE T operator()(const T& x, const T& y) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(WrappingType<T>(x) + WrappingType<T>(y));
    else
      return x + y;
  }
};

struct Sub {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(WrappingType<T>(x) - WrappingType<T>(y));
    else
      return x - y;
  }
};

struct Mul {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(WrappingType<T>(x) * WrappingType<T>(y));
    else
      return x * y;
  }
};

struct Neg {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(WrappingType<T>(0) - WrappingType<T>(x));
    else
      return -x;
  }
};

struct Square {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return Mul()(x, x);
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTORS_H_
