// atan, asin, acos and atan2 of float as straight-line code, as float_functions.h has others: within 2.5 ulps of the
// true value, infinities, NaN and signed zeros included.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_INVERSE_FUNCTIONS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_INVERSE_FUNCTIONS_H_

#include <cmath>
#include <limits>

#include "kernels/math/functions/horner.h"

namespace dfrun {

// pi / 2 in two parts.
constexpr float kHalfPi = 1.57079637F;
constexpr float kHalfPiLow = -4.37113883e-8F;

// atan(t) for 0 <= t <= 1.
inline float AtanOfUnit(float t) {
  const float z = t * t;
  const float p = Horner(z, 0.00148869194F, -0.00914462976F, 0.0263050011F, -0.048960514F, 0.0703191425F,
                         -0.0893182678F, 0.110882616F, -0.142840038F, 0.199999493F, -0.333333331F);
  return std::fma(t * z, p, t);
}

inline float AtanFloat(float x) {
  const float size = std::fabs(x);
  const bool beyond = size > 1.0F;
  const float y = AtanOfUnit(beyond ? 1.0F / size : size);
  return std::copysign(beyond ? kHalfPi - (y - kHalfPiLow) : y, x);
}

// asin(t) for z = t^2 and 0 <= t <= 1/2.
inline float AsinOfHalf(float t, float z) {
  const float p = Horner(z, 0.0336908472F, 0.0171492384F, 0.0311006627F, 0.0445994015F, 0.0750009454F, 0.166666663F);
  return std::fma(t * z, p, t);
}

// asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)): what AsinOfHalf() says of |x| or, beyond 1/2, of that root, which is
// NaN beyond 1.
struct AsinPart {
  explicit AsinPart(float x) {
    const float size = std::fabs(x);
    is_far = size > 0.5F;
    const float z = is_far ? 0.5F - 0.5F * size : size * size;
    y = AsinOfHalf(is_far ? std::sqrt(z) : size, z);
  }
  bool is_far;
  float y;
};

inline float AsinFloat(float x) {
  const AsinPart part(x);
  return std::copysign(part.is_far ? kHalfPi - (2.0F * part.y - kHalfPiLow) : part.y, x);
}

inline float AcosFloat(float x) {
  const AsinPart part(x);
  const float twice = 2.0F * part.y;
  const float far = x > 0.0F ? twice : 2.0F * kHalfPi - (twice - 2.0F * kHalfPiLow);
  return part.is_far ? far : kHalfPi - (std::copysign(part.y, x) - kHalfPiLow);
}

inline float Atan2Float(float y, float x) {
  const float height = std::fabs(y);
  const float width = std::fabs(x);
  const bool is_steep = height > width;
  const float larger = is_steep ? height : width;
  const float smaller = is_steep ? width : height;
  // 0 / 0 counts as 0, infinity / infinity as 1.
  const float ratio = smaller / larger;
  const float of_infinities = smaller == std::numeric_limits<float>::infinity() ? 1.0F : ratio;
  const float angle = AtanOfUnit(larger == 0.0F ? 0.0F : of_infinities);
  const float to_axis = is_steep ? kHalfPi - (angle - kHalfPiLow) : angle;
  const float around = std::signbit(x) ? 2.0F * kHalfPi - (to_axis - 2.0F * kHalfPiLow) : to_axis;
  return std::copysign(x != x || y != y ? x + y : around, y);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_INVERSE_FUNCTIONS_H_
