// exp, log, expm1, log1p, tanh, the logistic function, sin, cos, erf and erfc of float as straight-line code, which the
// compiler vectorises: the C library's would be called once an element. Each is within 2.5 ulps of the true value (erfc
// 4), and handles infinities, NaN and signed zeros. Exponentials below the normal numbers are 0, as in all kernels.
// The polynomials were fitted to the functions' own Taylor remainders, weighted for relative error.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_FLOAT_FUNCTIONS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_FLOAT_FUNCTIONS_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/math/functions/horner.h"

namespace dfrun {

constexpr float kLn2High = 0x1.62e3p-1F;  // 16 bits: products with small integers are exact
constexpr float kLn2Low = 9.0580015e-06F;

// (exp(r) - 1) / r for |r| <= ln(2) / 2.
inline float ExpSlope(float r) {
  const float p = Horner(r, 0.0013814599F, 0.008368717F, 0.04166839F, 0.16666521F, 0.49999994F);
  return std::fma(p, r, 1.0F);
}

// exp(r) for |r| <= ln(2) / 2.
inline float ExpReduced(float r) {
  return std::fma(ExpSlope(r), r, 1.0F);
}

// x = n * ln(2) + r with |r| <= ln(2) / 2.
template <int32_t kBias>
struct ExpParts {
  uint32_t shifted;  // its last 9 bits are those of n + kBias
  float r;

  explicit ExpParts(float x) {
    constexpr float kShift = 0x1.8p23F + kBias;  // a sum with it keeps the bits of an integer only
    const float sum = std::fma(x, 1.44269504F, kShift);
    const float n = sum - kShift;
    shifted = std::bit_cast<uint32_t>(sum);
    r = std::fma(n, -kLn2Low, std::fma(n, -kLn2High, x));
  }
};

// exp(x) where neither 2^n nor the result leaves the normal numbers: at least for -87.3 <= x <= 87. NaN of NaN.
inline float ExpNormal(float x) {
  const ExpParts<127> parts(x);
  return ExpReduced(parts.r) * std::bit_cast<float>(parts.shifted << 23);
}

// The range of exp: from the lower bound on it is a normal number; up to the upper one it is finite.
constexpr float kExpLowest = -87.33654F;
constexpr float kExpHighest = 88.72283F;

// exp(x) for x <= 0, and NaN of NaN.
inline float ExpOfNegative(float x) {
  const float y = ExpNormal(x);
  return x < kExpLowest ? 0.0F : y;
}

inline float ExpFloat(float x) {
  const ExpParts<0> parts(x);
  // 2^n itself may be beyond the floats: n is added to the exponent of the factor.
  float y = std::bit_cast<float>(std::bit_cast<uint32_t>(ExpReduced(parts.r)) + (parts.shifted << 23));
  y = x < kExpLowest ? 0.0F : y;
  return x <= kExpHighest ? y : x + std::numeric_limits<float>::infinity();
}

inline float LogFloat(float x) {
  const bool tiny = x < std::numeric_limits<float>::min();
  const float scaled = tiny ? x * 0x1p23F : x;
  // x = 2^e * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  const auto offset = static_cast<int32_t>(std::bit_cast<uint32_t>(scaled) - 0x3f3504f3U);  // may wrap where x < 0
  const auto e = static_cast<float>((offset >> 23) - (tiny ? 23 : 0));
  const float f = std::bit_cast<float>((offset & 0x7fffff) + 0x3f3504f3) - 1.0F;
  // log(1 + f) = 2 atanh(s)
  const float s = f / (2.0F + f);
  const float z = s * s;
  const float r = z * std::fma(std::fma(std::fma(0.23582287F, z, 0.28537303F), z, 0.40000334F), z, 0.6666666F);
  const float half_square = 0.5F * f * f;
  const float low = std::fma(s, half_square + r, e * kLn2Low);
  const float y = std::fma(e, kLn2High, f - (half_square - low));
  const float infinity = std::numeric_limits<float>::infinity();
  if (x == 0.0F) return -infinity;
  if (!(x >= 0.0F)) return std::numeric_limits<float>::quiet_NaN();
  return x == infinity ? x : y;
}

// exp(x) - 1: 2^n (expm1(r) + 1) - 1, halved on the way, since 2^n itself may be infinite.
inline float Expm1Float(float x) {
  float t = x > 89.0F ? 89.0F : x;
  t = t < -18.0F ? -18.0F : t;
  const ExpParts<126> parts(t);
  const float r = parts.r;
  const float tail = Horner(r, 0.0001977816F, 0.0013935858F, 0.008333532F, 0.041666463F, 0.16666666F, 0.5F);
  const float p = std::fma(tail, r * r, r);
  const float half = std::bit_cast<float>(parts.shifted << 23);
  return std::copysign(2.0F * std::fma(half, p, half - 0.5F), x);  // copysign keeps -0 too
}

// log(1 + x), corrected by what the sum loses.
inline float Log1pFloat(float x) {
  const float sum = 1.0F + x;
  const float log = LogFloat(sum);
  const bool loses = sum > 0.0F && sum < std::numeric_limits<float>::infinity();
  const float y = loses ? log + (x - (sum - 1.0F)) / sum : log;
  return x == 0.0F ? x : y;
}

// exp(2r) = (v + r) / (v - r) where v = r / tanh(r), an even function, which takes fewer terms than exp. So tanh(x) =
// h / (h + v - r) where x = n ln(2) / 2 + r and h = (2^n (v + r) - (v - r)) / 2, summed so that small x cancel nothing.
// From 9.1 on the result is 1 to the last place; it is chosen last, by the mask of the division, where it costs least.
inline float TanhFloat(float x) {
  const float size = std::fabs(x);
  // A constant of one part costs r an error of 1e-9 n, which the quotient reduces.
  constexpr float kShift = 0x1.8p23F + 126;
  const float sum = std::fma(size, 2.0F * 1.44269504F, kShift);
  const float n = sum - kShift;
  const float r = std::fma(n, -0.34657359F, size);
  const float half_power = std::bit_cast<float>(std::bit_cast<uint32_t>(sum) << 23);
  const float s = r * r;
  const float v = std::fma(std::fma(-0.022134094F, s, 0.3333325F), s, 1.0F);
  const float h = std::fma(half_power + 0.5F, r, (half_power - 0.5F) * v);
  const float y = h / (h + (v - r));
  return std::copysign(size > 9.1F ? 1.0F : y, x);
}

// sin and cos hold up to here; beyond, more digits of pi are needed than three floats have. NaN is beyond too.
inline bool IsFarAngle(float x) {
  return !(std::fabs(x) <= 0x1p16F);
}

// sin(x + quarters * pi / 2), unless IsFarAngle(x).
inline float SinOfQuarters(float x, uint32_t quarters) {
  constexpr float kShift = 0x1.8p23F;
  const float shifted = std::fma(x, 0.636619747F, kShift);
  const float n = shifted - kShift;
  // pi / 2 in three parts; the first difference is exact, since it is a multiple of 2^-24 below 1.
  float r = std::fma(-n, 1.57079637F, x);
  r = std::fma(-n, -4.37113883e-8F, r);
  r = std::fma(-n, -1.71512451e-15F, r);
  r = n == 0.0F ? x : r;  // the sign of -0
  const float z = r * r;
  const float sine = std::copysign(
      std::fma(r * z,
               std::fma(std::fma(std::fma(2.8326922e-06F, z, -0.00019853073F), z, 0.008333379F), z, -0.16666667F), r),
      r);
  const float cosine =
      std::fma(z * z, std::fma(std::fma(2.443233e-05F, z, -0.001388731F), z, 0.041666646F), std::fma(-0.5F, z, 1.0F));
  const uint32_t quadrant = std::bit_cast<uint32_t>(shifted) + quarters;
  const float y = (quadrant & 1) != 0 ? cosine : sine;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(y) ^ (quadrant & 2) << 30);
}

// erf(x) for |x| < 1.
inline float ErfNearZero(float x) {
  const float z = x * x;
  const float p =
      Horner(z, 7.806903e-05F, -0.0007997853F, 0.005187162F, -0.026853347F, 0.11283579F, -0.37612626F, 0.12837917F);
  return std::fma(p, x, x);
}

inline float ErfFloat(float x) {
  const float size = std::fabs(x);
  // 1 - exp(q(|x|)), where q is the logarithm of erfc; from 4 on the result is 1.
  const float t = size > 4.0F ? 4.0F : size;
  const float q = Horner(t, -2.1098826e-05F, 0.00043449522F, -0.0041711717F, 0.025119605F, -0.108280234F, -0.63334686F,
                         -1.1295149F, 0.00017468318F);
  const float away = 1.0F - ExpNormal(q);
  return std::copysign(size < 1.0F ? ErfNearZero(x) : (x != x ? x : away), x);
}

// 1 - erf(x) near 0, else exp(-x^2) p / (1 + 2 |x|), where p is a polynomial in (|x| - 3) / (|x| + 3), up to where the
// exponential is 0.
inline float ErfcFloat(float x) {
  const float whole = std::fabs(x);
  const float size = whole > 10.0F ? 10.0F : whole;
  const float s = (size - 3.0F) / (size + 3.0F);
  const float p = Horner(s, -0.000277326922F, -0.000798339142F, 0.00199447459F, 0.00257943468F, -0.0237902342F,
                         0.0682935098F, -0.119272653F, 0.129646576F, -0.0475622805F, -0.135621143F, 1.25300806F);
  const float square = size * size;
  const float lost = std::fma(size, size, -square);
  const float rounded = ExpOfNegative(-square);
  const float y = std::fma(-rounded, lost, rounded) * (p / (1.0F + 2.0F * size));
  const float away = x < 0.0F ? 2.0F - y : y;
  return size < 0.5F ? 1.0F - ErfNearZero(x) : away;
}

// 1 / (1 + exp(-x)) with exp(r) = (v + r) / (v - r), as in TanhFloat().
inline float SigmoidFloat(float x) {
  const ExpParts<0> parts(x);
  const float r = parts.r;
  const float s = r * r;
  const float v = std::fma(std::fma(-0.0027667617F, s, 0.16666625F), s, 2.0F);
  const float power = v + r;
  const float inverse = std::bit_cast<float>(std::bit_cast<uint32_t>(v - r) - (parts.shifted << 23));  // times 2^-n
  const float y = x < kExpLowest ? 0.0F : power / (inverse + power);
  return x > 30.0F ? 1.0F : y;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_FLOAT_FUNCTIONS_H_
