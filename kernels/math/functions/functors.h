// Arithmetic on elements, written once for host and device. Functions that complex numbers have too are called without
// a namespace, since a device may have complex numbers of its own.
//
// A functor takes values of ComputeType<T>. One that refuses operands has
//     static constexpr const char* kRefusal = "what is wrong";
//     template <class T> static bool Refuses(T y);   // y: the second operand
// and the engine answers InvalidArgument with that text.
// Source of the semantics: TensorFlow's CPU kernels (floor division rounds down, integer arithmetic wraps).
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_FUNCTORS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_FUNCTORS_H_

#include <cmath>
#include <limits>

#include "kernels/math/functions/element.h"
#include "kernels/math/functions/step_rounded.h"

namespace dfrun::fn {

struct Add {
  template <class T>
  DF_HOST_DEVICE T operator()(const T& x, const T& y) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(WrappingType<T>(x) + WrappingType<T>(y));
    } else {
      return x + y;
    }
  }
};

struct Sub {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(WrappingType<T>(x) - WrappingType<T>(y));
    } else {
      return x - y;
    }
  }
};

struct Mul {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(WrappingType<T>(x) * WrappingType<T>(y));
    } else {
      return x * y;
    }
  }
};

struct Neg {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(WrappingType<T>(0) - WrappingType<T>(x));
    } else {
      return -x;
    }
  }
};

struct Abs {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? Neg()(x) : x;
    } else {
      return std::abs(x);
    }
  }
};

// -1, 0 or 1, NaN of NaN; of a complex number its direction.
struct Sign {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      using std::abs;
      const auto size = abs(x);
      return size == 0 ? T(0) : x / size;
    } else {
      return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
    }
  }
};

struct Square {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return Mul()(x, x);
  }
};

// |x - y|^2 of complex numbers, as a complex number.
struct SquaredDifference {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    const T d = Sub()(x, y);
    if constexpr (kIsComplex<T>) {
      using std::conj;
      return conj(d) * d;
    } else {
      return Mul()(d, d);
    }
  }
};

// Division of integers refuses zero. The one quotient that does not fit, lowest / -1, wraps.
struct IntegerDivision {
  static constexpr const char* kRefusal = "Integer division by zero";
  template <class T>
  requires std::is_integral_v<T> DF_HOST_DEVICE static bool Refuses(T y) { return y == 0; }
  // The quotient. Integers of 32 bits and fewer go by way of double, which vectorises: a quotient that is no integer is
  // at least 1 / y away from one, its rounding 2^-21 of that.
  template <class T>
  DF_HOST_DEVICE static T Quotient(T x, T y) {
    if constexpr (sizeof(T) <= 4) {
      return static_cast<T>(static_cast<int64_t>(static_cast<double>(x) / static_cast<double>(y)));
    } else {
      if constexpr (std::is_signed_v<T>) {
        if (y == T(-1)) return Neg()(x);
      }
      return static_cast<T>(x / y);
    }
  }
  template <class T>
  DF_HOST_DEVICE static T Remainder(T x, T y) {
    if constexpr (sizeof(T) <= 4) {
      return Sub()(x, Mul()(Quotient(x, y), y));
    } else {
      if constexpr (std::is_signed_v<T>) {
        if (y == T(-1)) return T(0);
      }
      return static_cast<T>(x % y);
    }
  }
};

struct Div : IntegerDivision {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return Quotient(x, y);
    } else {
      return x / y;
    }
  }
};

// Rounds towards zero.
struct TruncateDiv : IntegerDivision {
  using Rounding = EachStep;
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return Quotient(x, y);
    } else {
      using std::trunc;
      return trunc(x / y);
    }
  }
};

struct FloorDiv : IntegerDivision {
  using Rounding = EachStep;
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (!std::is_integral_v<T>) {
      using std::floor;
      return floor(x / y);
    } else {
      const T quotient = Quotient(x, y);
      if constexpr (std::is_signed_v<T>) {
        if (Remainder(x, y) != 0 && (x < 0) != (y < 0)) return static_cast<T>(quotient - 1);
      }
      return quotient;
    }
  }
};

// The remainder has the sign of the dividend.
struct TruncateMod : IntegerDivision {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return Remainder(x, y);
    } else {
      return std::fmod(x, y);
    }
  }
};

// The remainder has the sign of the divisor.
struct FloorMod : IntegerDivision {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    const T remainder = TruncateMod()(x, y);
    if constexpr (std::is_unsigned_v<T>) {
      return remainder;
    } else {
      return remainder != 0 && (remainder < 0) != (y < 0) ? static_cast<T>(remainder + y) : remainder;
    }
  }
};

// 1 / x; of the integer 0 it is 0.
struct Reciprocal {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x == 0 ? T(0) : static_cast<T>(1 / x);
    } else {
      return T(1) / x;
    }
  }
};

// 0 where the divisor is 0.
struct DivNoNan {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return y == T(0) ? T(0) : x / y;
  }
};

// 0 where the second factor is 0, whatever the first.
struct MulNoNan {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return y == T(0) ? T(0) : x * y;
  }
};

// NaN wins.
struct Maximum {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return x > y || x != x ? x : y;
  }
};

struct Minimum {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return x < y || x != x ? x : y;
  }
};

struct Floor {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return std::floor(x);
  }
};

struct Ceil {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return std::ceil(x);
  }
};

// Rounds to the nearest integer, halves to even.
struct Rint {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return T(std::nearbyint(x.real()), std::nearbyint(x.imag()));
    } else if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return std::nearbyint(x);
    }
  }
};

struct IsNan {
  template <class T>
  DF_HOST_DEVICE bool operator()(T x) const {
    return x != x;
  }
};

struct IsInf {
  template <class T>
  DF_HOST_DEVICE bool operator()(T x) const {
    return std::abs(x) == std::numeric_limits<T>::infinity();
  }
};

struct IsFinite {
  template <class T>
  DF_HOST_DEVICE bool operator()(T x) const {
    return std::abs(x) < std::numeric_limits<T>::infinity();
  }
};

// The number after x on the way to another.
struct NextAfter {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T towards) const {
    return std::nextafter(x, towards);
  }
};

struct Less {
  template <class T>
  DF_HOST_DEVICE bool operator()(T x, T y) const {
    return x < y;
  }
};

struct LessEqual {
  template <class T>
  DF_HOST_DEVICE bool operator()(T x, T y) const {
    return x <= y;
  }
};

struct Greater {
  template <class T>
  DF_HOST_DEVICE bool operator()(T x, T y) const {
    return x > y;
  }
};

struct GreaterEqual {
  template <class T>
  DF_HOST_DEVICE bool operator()(T x, T y) const {
    return x >= y;
  }
};

// Quantised elements are compared by their integers.
struct Equal {
  template <class T>
  DF_HOST_DEVICE bool operator()(const T& x, const T& y) const {
    if constexpr (requires { x.value; }) {
      return x.value == y.value;
    } else {
      return x == y;
    }
  }
};

struct NotEqual {
  template <class T>
  DF_HOST_DEVICE bool operator()(const T& x, const T& y) const {
    return !Equal()(x, y);
  }
};

struct LogicalAnd {
  DF_HOST_DEVICE bool operator()(bool x, bool y) const { return x && y; }
};

struct LogicalOr {
  DF_HOST_DEVICE bool operator()(bool x, bool y) const { return x || y; }
};

struct LogicalNot {
  DF_HOST_DEVICE bool operator()(bool x) const { return !x; }
};

struct Conj {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    using std::conj;
    return conj(x);
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_FUNCTORS_H_
