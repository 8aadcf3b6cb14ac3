// The operations that the reduction engine folds with. Sums and products run in a type wider than the element's: float
// in double, 16-bit floating point in float; double relies on the engine's pairwise order.
//
// A reducer has, of elements T that are computed in C = ComputeType<T>,
//     template <class T> using Accumulator
//     template <class T> static Accumulator<T> Start()
//     template <class T> static Accumulator<T> Lift(C x)                     // an element as an accumulator
//     template <class A> static A Combine(A, A)                              // associative but for rounding
//     template <class T> static T Finish(Accumulator<T>, int64_t reduced)
//     static const ReducerLoops& Reduces(DType dtype)                             // the loops of the first four
// One that differs from another in Finish() alone derives from it, and has its loops.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_REDUCERS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_REDUCERS_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "kernels/math/functions/cast.h"
#include "kernels/math/functions/element.h"

namespace dfrun {
namespace cpu {
struct ReducerLoops;  // reduction.h
}  // namespace cpu
}  // namespace dfrun

namespace dfrun::red {

template <class T>
struct WideOf {
  using type = std::conditional_t<std::is_integral_v<T>, WrappingType<T>, T>;
};
template <>
struct WideOf<float> {
  using type = double;
};
template <>
struct WideOf<float16> {
  using type = float;
};
template <>
struct WideOf<bfloat16> {
  using type = float;
};
template <>
struct WideOf<std::complex<float>> {
  using type = std::complex<double>;
};

// Sums that wrap around where T does.
struct Sum {
  template <class T>
  using Accumulator = typename WideOf<T>::type;
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Start() {
    return Accumulator<T>(0);
  }
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Lift(ComputeType<T> x) {
    return static_cast<Accumulator<T>>(x);
  }
  template <class A>
  DF_HOST_DEVICE static A Combine(A a, A b) {
    return a + b;
  }
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t) {
    return static_cast<T>(a);
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

// Integers are summed in 64 bits and the quotient is cut; the mean of nothing is NaN, of integers 0.
struct Mean : Sum {
  template <class T>
  using Accumulator = std::conditional_t<std::is_integral_v<T>, uint64_t, typename WideOf<T>::type>;
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Start() {
    return Accumulator<T>(0);
  }
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Lift(ComputeType<T> x) {
    return static_cast<Accumulator<T>>(x);
  }
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t reduced) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      return reduced == 0 ? T(0) : static_cast<T>(static_cast<int64_t>(a) / reduced);
    } else if constexpr (std::is_integral_v<T>) {
      return reduced == 0 ? T(0) : static_cast<T>(a / static_cast<uint64_t>(reduced));
    } else if constexpr (kIsComplex<T>) {
      return static_cast<T>(a / static_cast<typename Accumulator<T>::value_type>(reduced));
    } else {
      return static_cast<T>(a / static_cast<Accumulator<T>>(reduced));
    }
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

struct Prod : Sum {
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Start() {
    return Accumulator<T>(1);
  }
  template <class A>
  DF_HOST_DEVICE static A Combine(A a, A b) {
    return a * b;
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

// Half the sum of the squares.
struct HalfSquares : Sum {
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Lift(ComputeType<T> x) {
    return static_cast<Accumulator<T>>(x) * static_cast<Accumulator<T>>(x);
  }
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t) {
    return static_cast<T>(a / 2);
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

// The root of the sum of the squares of the absolute values. Integers wrap around as T does before the root is cut.
struct EuclideanNorm : Sum {
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Lift(ComputeType<T> x) {
    const auto wide = static_cast<Accumulator<T>>(x);
    if constexpr (kIsComplex<T>) {
      return Accumulator<T>(wide.real() * wide.real() + wide.imag() * wide.imag());
    } else {
      return wide * wide;
    }
  }
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t) {
    if constexpr (std::is_integral_v<T>) {
      return CutToInteger<T>(std::sqrt(static_cast<double>(static_cast<T>(a))));
    } else {
      using std::sqrt;
      return static_cast<T>(sqrt(a));
    }
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

// The ends of the finite numbers of T, 16-bit floating point as float.
template <class T>
DF_HOST_DEVICE constexpr ComputeType<T> LowestOf() {
  if constexpr (std::is_same_v<T, float16>) return -65504.0F;
  if constexpr (std::is_same_v<T, bfloat16>) return -0x1.fep127F;
  return std::numeric_limits<ComputeType<T>>::lowest();
}
template <class T>
DF_HOST_DEVICE constexpr ComputeType<T> HighestOf() {
  if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::max();
  } else {
    return -LowestOf<T>();
  }
}

// NaN wins. The largest of nothing is the lowest value there is.
struct Max {
  template <class T>
  using Accumulator = ComputeType<T>;
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Start() {
    using Limits = std::numeric_limits<Accumulator<T>>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Lift(ComputeType<T> x) {
    return x;
  }
  template <class A>
  DF_HOST_DEVICE static A Combine(A a, A b) {
    return b > a || b != b ? b : a;
  }
  template <class T>
  DF_HOST_DEVICE static T Finish(Accumulator<T> a, int64_t) {
    return static_cast<T>(a);
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

struct Min : Max {
  template <class T>
  DF_HOST_DEVICE static Accumulator<T> Start() {
    using Limits = std::numeric_limits<Accumulator<T>>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class A>
  DF_HOST_DEVICE static A Combine(A a, A b) {
    return b < a || b != b ? b : a;
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

struct All : Max {
  template <class T>
  DF_HOST_DEVICE static bool Start() {
    return true;
  }
  template <class A>
  DF_HOST_DEVICE static A Combine(A a, A b) {
    return a && b;
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

struct Any : Max {
  template <class T>
  DF_HOST_DEVICE static bool Start() {
    return false;
  }
  template <class A>
  DF_HOST_DEVICE static A Combine(A a, A b) {
    return a || b;
  }
  static const cpu::ReducerLoops& Reduces(DType dtype);
};

}  // namespace dfrun::red

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_REDUCERS_H_
