// exp, log and tanh of double as straight-line code, as float_functions.h has them for float: within 3 ulps of the
// true value, infinities, NaN and signed zeros included. Exponentials below the normal numbers are 0.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_DOUBLE_FUNCTIONS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_DOUBLE_FUNCTIONS_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/math/functions/horner.h"

namespace dfrun {

constexpr double kLn2HighDouble = 0x1.62e42feep-1;  // 32 bits: products with small integers are exact
constexpr double kLn2LowDouble = 0x1.a39ef35793c76p-33;

// The range of exp: from the lower bound on it is a normal number; up to the upper one it is finite.
constexpr double kExpLowestDouble = -708.39641853226408;
constexpr double kExpHighestDouble = 709.78271289338397;

inline double ExpDouble(double x) {
  constexpr double kShift = 0x1.8p52;  // a sum with it keeps the bits of an integer only
  const double sum = std::fma(x, 1.4426950408889634, kShift);
  const double n = sum - kShift;
  const double r = std::fma(n, -kLn2LowDouble, std::fma(n, -kLn2HighDouble, x));
  const double p =
      Horner(r, 2.09146869680868772e-9, 2.51052170047207452e-8, 2.75572736431102953e-7, 2.75572554002064244e-6,
             0.0000248015873255477412, 0.000198412698748206253, 0.00138888888888837483, 0.00833333333332613513,
             0.0416666666666666698, 0.16666666666666671, 0.5);
  const double power = 1.0 + std::fma(r * r, p, r);
  // 2^n itself may be beyond the doubles: n is added to the exponent of the factor.
  double y = std::bit_cast<double>(std::bit_cast<uint64_t>(power) + (std::bit_cast<uint64_t>(sum) << 52));
  y = x < kExpLowestDouble ? 0.0 : y;
  return x <= kExpHighestDouble ? y : x + std::numeric_limits<double>::infinity();
}

inline double LogDouble(double x) {
  const bool tiny = x < std::numeric_limits<double>::min();
  const double scaled = tiny ? x * 0x1p52 : x;
  // x = 2^e * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  const auto offset = static_cast<int64_t>(std::bit_cast<uint64_t>(scaled) - kRootOfHalf);  // may wrap where x < 0
  const auto e = static_cast<double>(static_cast<int32_t>(offset >> 52) - (tiny ? 52 : 0));
  const double f = std::bit_cast<double>((static_cast<uint64_t>(offset) & 0xfffffffffffff) + kRootOfHalf) - 1.0;
  // log(1 + f) = 2 atanh(s)
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double p = Horner(z, 0.14617807153417325, 0.153316117220550079, 0.181828924325368712, 0.222222110893794962,
                          0.285714286262538376, 0.399999999998988905, 0.666666666666666971);
  const double half_square = 0.5 * f * f;
  const double low = std::fma(s, std::fma(z, p, half_square), e * kLn2LowDouble);
  const double y = std::fma(e, kLn2HighDouble, f - (half_square - low));
  const double infinity = std::numeric_limits<double>::infinity();
  if (x == 0.0) return -infinity;
  if (!(x >= 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return x == infinity ? x : y;
}

// The hyperbolic tangent, computed as in TanhFloat(), with v = r / tanh(r) to more terms.
inline double TanhDouble(double x) {
  const double size = std::fabs(x);
  constexpr double kShift = 0x1.8p52 + 1022;
  const double sum = std::fma(size, 2.0 * 1.4426950408889634, kShift);
  const double n = sum - kShift;
  const double r = std::fma(n, -0.5 * kLn2LowDouble, std::fma(n, -0.5 * kLn2HighDouble, size));
  const double half_power = std::bit_cast<double>(std::bit_cast<uint64_t>(sum) << 52);
  const double s = r * r;
  const double v = Horner(s, -2.14474493366503632e-6, 0.000021377135588784038, -0.000211640201306932867,
                          0.00211640211632935219, -0.0222222222222220348, 0.333333333333333333, 1.0);
  const double h = std::fma(half_power + 0.5, r, (half_power - 0.5) * v);
  const double y = h / (h + (v - r));
  return std::copysign(size > 19.1 ? 1.0 : y, x);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_DOUBLE_FUNCTIONS_H_
