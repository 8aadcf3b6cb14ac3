// The derivative of a gamma distribution's sample by the distribution's parameter, written once for host and device.
#ifndef DFRUN_KERNELS_RANDOM_GAMMA_DERIVATIVE_H_
#define DFRUN_KERNELS_RANDOM_GAMMA_DERIVATIVE_H_

#include <cmath>
#include <limits>

#include "kernels/math/functions/special_functions.h"

namespace dfrun::fn {

// dx/dalpha at which the distribution function P(alpha, x) stays what it is: -(dP/dalpha) / (dP/dx). 0 for x = 0, NaN
// for x < 0 and alpha <= 0; also 0 where the density at x is below the smallest normal T, as TensorFlow has it. Source:
// Figurnov, Mohamed, Mnih: Implicit reparameterization gradients, 2018; the series and the continued fraction of the
// incomplete gamma function, differentiated term by term.
struct GammaSampleDerivative {
  template <class T>
  DF_HOST_DEVICE T operator()(T alpha, T x) const {
    return static_cast<T>(
        Of(static_cast<double>(alpha), static_cast<double>(x), static_cast<double>(std::numeric_limits<T>::min())));
  }

 private:
  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon() / 2;
  static constexpr int kMaxTerms = 2000;

  // A function of alpha and its derivative by alpha.
  struct Dual {
    double value;
    double slope;
  };

  DF_HOST_DEVICE static double Of(double alpha, double x, double smallest) {
    if (x == 0) return 0;
    if (!(x > 0) || !(alpha > 0)) return std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(x) || alpha * std::log(x) - x - Lgamma()(alpha) < std::log(smallest)) return 0;
    if (x > 1 && x > alpha) {
      const Dual tail = ContinuedFraction(alpha, x);
      return (tail.slope + tail.value * (std::log(x) - DigammaOf(alpha))) * x;
    }
    const Dual sum = Series(alpha, x);
    return -(sum.slope + sum.value * (std::log(x) - DigammaOf(alpha + 1))) * x / alpha;
  }

  // The digamma function of a > 0: recurrence up to where the asymptotic series is exact.
  DF_HOST_DEVICE static double DigammaOf(double a) {
    double sum = 0;
    while (a < 10) {
      sum -= 1 / a;
      a += 1;
    }
    const double z = 1 / (a * a);
    const double series =
        z * (1.0 / 12 -
             z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
    return sum + std::log(a) - 0.5 / a - series;
  }

  // P(a, x) Gamma(a + 1) / (x^a e^-x) = 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...
  DF_HOST_DEVICE static Dual Series(double a, double x) {
    Dual sum{1, 0};
    Dual term{1, 0};
    for (int i = 1; i <= kMaxTerms; ++i) {
      const double r = a + i;
      term.slope = (term.slope - term.value / r) * (x / r);
      term.value *= x / r;
      sum.value += term.value;
      sum.slope += term.slope;
      if (std::abs(term.slope) <= kEpsilon * std::abs(sum.slope)) break;
    }
    return sum;
  }

  // (1 - P(a, x)) Gamma(a) / (x^a e^-x) by the convergents of its continued fraction.
  DF_HOST_DEVICE static Dual ContinuedFraction(double a, double x) {
    Dual p2{1, 0}, q2{x, 0}, p1{x + 1, 0};
    double y = 1 - a;
    double z = x + y + 1;
    Dual q1{z * x, -x};
    Dual ratio{p1.value / q1.value, -p1.value / q1.value * q1.slope / q1.value};
    for (int i = 1; i <= kMaxTerms; ++i) {
      y += 1;
      z += 2;
      const double yi = y * i;
      const auto next = [&](const Dual& one, const Dual& two) {
        return Dual{one.value * z - two.value * yi, one.slope * z - one.value - two.slope * yi + two.value * i};
      };
      Dual p = next(p1, p2);
      Dual q = next(q1, q2);
      if (q.value != 0) {
        const double last_slope = ratio.slope;
        ratio.value = p.value / q.value;
        ratio.slope = (p.slope - ratio.value * q.slope) / q.value;
        if (std::abs(ratio.slope - last_slope) <= kEpsilon * std::abs(ratio.slope)) break;
      }
      const double scale = std::abs(p.value) > 1 / kEpsilon ? kEpsilon : 1;
      const auto scaled = [&](const Dual& d) { return Dual{d.value * scale, d.slope * scale}; };
      p2 = scaled(p1), p1 = scaled(p);
      q2 = scaled(q1), q1 = scaled(q);
    }
    return ratio;
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_RANDOM_GAMMA_DERIVATIVE_H_
