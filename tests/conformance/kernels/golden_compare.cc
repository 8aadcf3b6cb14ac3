#include "tests/conformance/kernels/golden_compare.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace dfrun::testing {
namespace {

// Bits of the significand, the hidden one included, and the smallest exponent.
template <class T>
struct Precision {
  static constexpr int kBits = std::numeric_limits<T>::digits;
  static constexpr int kMinExponent = std::numeric_limits<T>::min_exponent;
};
template <>
struct Precision<float16> {
  static constexpr int kBits = 11;
  static constexpr int kMinExponent = -13;
};
template <>
struct Precision<bfloat16> {
  static constexpr int kBits = 8;
  static constexpr int kMinExponent = -125;
};

// The unit in the last place of a number of this size.
template <class T>
double UnitAt(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, std::max(exponent, Precision<T>::kMinExponent) - Precision<T>::kBits);
}

template <class T>
bool Near(double expected, double actual, double size, double ulps) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (expected == actual) return std::signbit(expected) == std::signbit(actual) || ulps > 0;
  if (std::isinf(expected) || std::isinf(actual)) return false;
  return std::abs(expected - actual) <= ulps * UnitAt<T>(size);
}

template <class T>
bool Same(const T& expected, const T& actual, double ulps) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    return expected == actual;
  } else if constexpr (requires { expected.value; }) {  // quantised integers
    return expected.value == actual.value;
  } else if constexpr (requires { expected.real(); }) {
    using Part = typename T::value_type;
    const double size = std::max(std::abs(expected.real()), std::abs(expected.imag()));
    return Near<Part>(expected.real(), actual.real(), size, ulps) &&
           Near<Part>(expected.imag(), actual.imag(), size, ulps);
  } else {
    const auto wide = static_cast<double>(expected);
    return Near<T>(wide, static_cast<double>(actual), std::abs(wide), ulps);
  }
}

}  // namespace

std::string Difference(const Tensor& expected, const Tensor& actual, double ulps) {
  if (!actual.initialized() || expected.dtype() != actual.dtype() || !(expected.shape() == actual.shape()))
    return StrCat("expected ", expected.ToString(16), ", got ", actual.ToString(16));
  std::string difference;
  const bool compared =
      VisitDType<float, double, float16, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                 uint64_t, bool, std::string, std::complex<float>, std::complex<double>, qint8, quint8, qint16, quint16,
                 qint32>(expected.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (int64_t i = 0; i < expected.num_elements() && difference.empty(); ++i) {
          if (!Same(expected.data<T>()[i], actual.data<T>()[i], ulps))
            difference =
                StrCat("element ", i, " differs: expected ", expected.ToString(16), ", got ", actual.ToString(16));
        }
      });
  return compared ? difference : StrCat("no comparison of ", expected.dtype());
}

}  // namespace dfrun::testing
