// Determinants from the pivots of an LU decomposition, written once for host and device.
#ifndef DFRUN_KERNELS_LINALG_PIVOTS_H_
#define DFRUN_KERNELS_LINALG_PIVOTS_H_

#include <cmath>
#include <cstdint>

#include "kernels/math/functions/element.h"

namespace dfrun {

// `count` pivots, `step` elements apart. The determinant is their product, negated where the rows were permuted oddly.
template <class T>
struct Pivots {
  const T* data;
  int64_t count;
  int64_t step;
  bool is_odd;

  DF_HOST_DEVICE T operator[](int64_t i) const { return data[i * step]; }
  DF_HOST_DEVICE T sign() const { return is_odd ? T(-1) : T(1); }
};

// Powers of two that a product of pivots is kept within, so that it does not overflow on the way.
template <class T>
DF_HOST_DEVICE int ExponentOf(T value) {
  if constexpr (kIsComplex<T>) {
    const auto real = std::abs(value.real());
    const auto imag = std::abs(value.imag());
    return ExponentOf(real < imag ? imag : real);
  } else {
    const T magnitude = std::abs(value);
    return magnitude > 0 && std::isfinite(magnitude) ? std::ilogb(magnitude) : 0;
  }
}
template <class T>
DF_HOST_DEVICE T TimesPowerOf2(T value, int exponent) {
  if constexpr (kIsComplex<T>) {
    return T(std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent));
  } else {
    return std::ldexp(value, exponent);
  }
}

struct Determinant {
  template <class T>
  DF_HOST_DEVICE T operator()(const Pivots<T>& pivots) const {
    T product = pivots.sign();
    int64_t exponent = 0;
    for (int64_t i = 0; i < pivots.count; ++i) {
      const int of_pivot = ExponentOf(pivots[i]);
      product *= TimesPowerOf2(pivots[i], -of_pivot);
      const int of_product = ExponentOf(product);
      product = TimesPowerOf2(product, -of_product);
      exponent += of_pivot + of_product;
    }
    constexpr int64_t kBeyondAny = 100'000;
    const int64_t within = exponent < -kBeyondAny ? -kBeyondAny : exponent > kBeyondAny ? kBeyondAny : exponent;
    return TimesPowerOf2(product, static_cast<int>(within));
  }
};

template <class T>
DF_HOST_DEVICE T SignOf(T value) {
  if constexpr (kIsComplex<T>) {
    using std::abs;
    return value == T(0) ? T(0) : value / abs(value);
  } else {
    return std::isnan(value) || value == 0 ? value : std::copysign(T(1), value);
  }
}

struct SignOfDeterminant {
  template <class T>
  DF_HOST_DEVICE T operator()(const Pivots<T>& pivots) const {
    T sign = pivots.sign();
    for (int64_t i = 0; i < pivots.count; ++i) sign *= SignOf(pivots[i]);
    return sign;
  }
};

struct LogOfDeterminant {
  template <class T>
  DF_HOST_DEVICE T operator()(const Pivots<T>& pivots) const {
    using std::abs;
    double sum = 0;
    for (int64_t i = 0; i < pivots.count; ++i) sum += std::log(static_cast<double>(abs(pivots[i])));
    if constexpr (kIsComplex<T>) {
      return T(static_cast<typename T::value_type>(sum));
    } else {
      return static_cast<T>(sum);
    }
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_PIVOTS_H_
