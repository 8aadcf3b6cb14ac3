// Functions of the bits of integers, written once for host and device. A shift by more than the width, or by a negative
// number, is one by the nearest that there is, as in TensorFlow.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_BITWISE_FUNCTORS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_BITWISE_FUNCTORS_H_

#include <bit>
#include <limits>

#include "kernels/math/functions/element.h"

namespace dfrun::fn {

struct BitwiseAnd {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(x & y);
  }
};

struct BitwiseOr {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(x | y);
  }
};

struct BitwiseXor {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(x ^ y);
  }
};

struct Invert {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return static_cast<T>(~x);
  }
};

template <class T>
DF_HOST_DEVICE int ShiftDistance(T y) {
  constexpr T kMax = static_cast<T>(sizeof(T) * 8 - 1);
  if constexpr (std::is_signed_v<T>) {
    if (y < 0) return 0;
  }
  return static_cast<int>(y < kMax ? y : kMax);
}

struct LeftShift {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(static_cast<WrappingType<T>>(x) << ShiftDistance(y));
  }
};

struct RightShift {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(x >> ShiftDistance(y));
  }
};

struct PopulationCount {
  template <class T>
  DF_HOST_DEVICE uint8_t operator()(T x) const {
    const auto bits = static_cast<std::make_unsigned_t<T>>(x);
#ifdef __CUDA_ARCH__
    return static_cast<uint8_t>(__popcll(bits));
#else
    return static_cast<uint8_t>(std::popcount(bits));
#endif
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_BITWISE_FUNCTORS_H_
