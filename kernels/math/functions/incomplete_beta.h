// The regularised incomplete beta function, written once for host and device.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_INCOMPLETE_BETA_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_INCOMPLETE_BETA_H_

#include <cmath>
#include <limits>

#include "kernels/math/functions/special_functions.h"

namespace dfrun {
namespace beta {

inline constexpr double kPrecision = std::numeric_limits<double>::epsilon() / 2;

DF_HOST_DEVICE inline double LogBeta(double a, double b) {
  const fn::Lgamma log_gamma;
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

// x^a (1 - x)^b / (a B(a, b)); `rest` is 1 - x. By gamma functions where they do not overflow, which loses less than
// the difference of logarithms does.
DF_HOST_DEVICE inline double Prefactor(double a, double b, double x, double rest) {
  if (a + b < 170)
    return std::pow(x, a) * std::pow(rest, b) * (std::tgamma(a + b) / std::tgamma(a) / std::tgamma(b)) / a;
  return std::exp(a * std::log(x) + b * std::log1p(-x) - LogBeta(a, b)) / a;
}

// The power series for small b x: x^a / B(a, b) times the sum of (1 - b)(2 - b)...(n - b) x^n / (n! (a + n)).
DF_HOST_DEVICE inline double PowerSeries(double a, double b, double x) {
  double term = 1;
  double sum = 1 / a;
  for (int n = 1; n < 10000; ++n) {
    term *= (n - b) * x / n;
    const double change = term / (a + n);
    sum += change;
    if (std::abs(change) <= kPrecision * std::abs(sum)) break;
  }
  return Prefactor(a, b, x, 1) * a * sum;
}

// The continued fraction of the integral, which converges fast for x < (a + 1) / (a + b + 2).
DF_HOST_DEVICE inline double ContinuedFraction(double a, double b, double x) {
  constexpr double kTiny = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  const auto nonzero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    const double change = d * c;
    value *= change;
    if (std::abs(change - 1) <= kPrecision) break;
  }
  return value;
}

}  // namespace beta

// The integral of t^(a - 1) (1 - t)^(b - 1) over [0, x], divided by that over [0, 1]. NaN unless a > 0, b > 0 and
// 0 <= x <= 1. By the power series where b x is small, else by Lentz's evaluation of the continued fraction on the side
// of the mean where it converges fast.
DF_HOST_DEVICE inline double IncompleteBeta(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || x == 1) return x;
  if (b * x <= 1 && x <= 0.95) return beta::PowerSeries(a, b, x);
  const double rest = 1 - x;
  if (x < (a + 1) / (a + b + 2)) return beta::Prefactor(a, b, x, rest) * beta::ContinuedFraction(a, b, x);
  if (a * rest <= 1 && rest <= 0.95) return 1 - beta::PowerSeries(b, a, rest);
  return 1 - beta::Prefactor(b, a, rest, x) * beta::ContinuedFraction(b, a, rest);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_INCOMPLETE_BETA_H_
