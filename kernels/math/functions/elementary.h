// Elementary functions of elements: roots, exponentials, logarithms, trigonometry; written once for host and device.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENTARY_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENTARY_H_

#include <cmath>
#include <complex>
#include <concepts>

#include "kernels/math/functions/double_functions.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/inverse_functions.h"
#include "kernels/math/functions/line_functions.h"

namespace dfrun::fn {

// A functor that is the function of std of that name, for real and complex numbers.
#define DF_STD_FUNCTION(Name, function)      \
  struct Name {                              \
    template <class T>                       \
    DF_HOST_DEVICE T operator()(T x) const { \
      using std::function;                   \
      return function(x);                    \
    }                                        \
  };
DF_STD_FUNCTION(Sqrt, sqrt)
DF_STD_FUNCTION(Tan, tan)
DF_STD_FUNCTION(Sinh, sinh)
DF_STD_FUNCTION(Cosh, cosh)
DF_STD_FUNCTION(Asinh, asinh)
DF_STD_FUNCTION(Acosh, acosh)
DF_STD_FUNCTION(Atanh, atanh)
#undef DF_STD_FUNCTION

// Functors that compute floats by code of our own, which vectorises, and other types by the standard functions.
#ifdef __CUDA_ARCH__
#define DF_OWN_FLOAT(T, own, x)
#else
#define DF_OWN_FLOAT(T, own, x) \
  if constexpr (std::is_same_v<T, float>) return own(x);
#endif
#define DF_FLOAT_FUNCTION(Name, function, own) \
  struct Name {                                \
    template <class T>                         \
    DF_HOST_DEVICE T operator()(T x) const {   \
      DF_OWN_FLOAT(T, own, x)                  \
      using std::function;                     \
      return function(x);                      \
    }                                          \
  };
DF_FLOAT_FUNCTION(Asin, asin, AsinFloat)
DF_FLOAT_FUNCTION(Acos, acos, AcosFloat)
DF_FLOAT_FUNCTION(Atan, atan, AtanFloat)
DF_FLOAT_FUNCTION(Erf, erf, ErfFloat)
DF_FLOAT_FUNCTION(Erfc, erfc, ErfcFloat)
#undef DF_FLOAT_FUNCTION
#undef DF_OWN_FLOAT

// A functor may give its function for a line of floats, Line(x, y), which then is that of all elements of arrays.
// It may give it in two parts: Common(x), which vectorises, for all x but those of which IsRare(x).
struct Sin {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
#ifndef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float>) return IsRare(x) ? std::sin(x) : Common(x);
#endif
    using std::sin;
    return sin(x);
  }
  static bool IsRare(std::same_as<float> auto x) {
    return IsFarAngle(x);
  }
  static float Common(std::same_as<float> auto x) {
    return SinOfQuarters(x, 0);
  }
};

struct Cos {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
#ifndef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float>) return IsRare(x) ? std::cos(x) : Common(x);
#endif
    using std::cos;
    return cos(x);
  }
  static bool IsRare(std::same_as<float> auto x) {
    return IsFarAngle(x);
  }
  static float Common(std::same_as<float> auto x) {
    return SinOfQuarters(x, 1);
  }
};

struct Rsqrt {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    using std::sqrt;
    return T(1) / sqrt(x);
  }
};

struct Exp {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
#ifndef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float>) return ExpFloat(x);
    if constexpr (std::is_same_v<T, double>) return ExpDouble(x);
#endif
    using std::exp;
    return exp(x);
  }
#ifdef DFRUN_LINE_TABLES
  static void Line(const float* x, float* y) {
    ExpLine(x, y);
  }
#endif
};

struct Log {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
#ifndef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float>) return LogFloat(x);
    if constexpr (std::is_same_v<T, double>) return LogDouble(x);
#endif
    using std::log;
    return log(x);
  }
};

struct Tanh {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
#ifndef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float>) return TanhFloat(x);
    if constexpr (std::is_same_v<T, double>) return TanhDouble(x);
#endif
    using std::tanh;
    return tanh(x);
  }
#ifdef DFRUN_LINE_TABLES
  static void Line(const float* x, float* y) {
    TanhLine(x, y);
  }
#endif
};

struct Sigmoid {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return T(1) / (T(1) + Exp()(-x));
    } else {
#ifndef __CUDA_ARCH__
      if constexpr (std::is_same_v<T, float>) return SigmoidFloat(x);
#endif
      const T z = Exp()(-std::abs(x));
      return (x < 0 ? z : T(1)) / (T(1) + z);
    }
  }
};

// exp(x) - 1 without cancellation near 0.
struct Expm1 {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      const auto s = std::sin(x.imag() / 2);
      return T(std::expm1(x.real()) * std::cos(x.imag()) - 2 * s * s, std::exp(x.real()) * std::sin(x.imag()));
    } else {
#ifndef __CUDA_ARCH__
      if constexpr (std::is_same_v<T, float>) return Expm1Float(x);
#endif
      return std::expm1(x);
    }
  }
};

// log(1 + x) without cancellation near 0.
struct Log1p {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      const T sum = T(1) + x;
      return sum == T(1) ? x : x * (Log()(sum) / (sum - T(1)));
    } else {
#ifndef __CUDA_ARCH__
      if constexpr (std::is_same_v<T, float>) return Log1pFloat(x);
#endif
      return std::log1p(x);
    }
  }
};

// Integers are raised by squaring and wrap; they refuse negative exponents.
struct Pow {
  static constexpr const char* kRefusal = "Integers to negative integer powers are not allowed";
  template <class T>
  requires(std::is_integral_v<T>&& std::is_signed_v<T>) DF_HOST_DEVICE static bool Refuses(T y) { return y < 0; }
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      WrappingType<T> base = static_cast<WrappingType<T>>(x);
      WrappingType<T> power = 1;
      for (; y > 0; y = static_cast<T>(y / 2), base *= base) power *= y % 2 != 0 ? base : 1;
      return static_cast<T>(power);
    } else {
      using std::pow;
      return pow(x, y);
    }
  }
};

struct Atan2 {
  template <class T>
  DF_HOST_DEVICE T operator()(T y, T x) const {
#ifndef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float>) return Atan2Float(y, x);
#endif
    return std::atan2(y, x);
  }
};

// x * log(y), 0 where x is 0.
struct Xlogy {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return x == T(0) ? T(0) : x * Log()(y);
  }
};

// x * log(1 + y), 0 where x is 0.
struct Xlog1py {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return x == T(0) ? T(0) : x * Log1p()(y);
  }
};

// x / y, 0 where x is 0.
struct Xdivy {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return x == T(0) ? T(0) : x / y;
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_ELEMENTARY_H_
