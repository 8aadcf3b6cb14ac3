// Digamma, the Hurwitz zeta function and polygamma, written once for host and device. They run in the element's own
// type by the classic methods (recurrence to where the asymptotic series holds; Euler-Maclaurin summation), which are
// TensorFlow's too: where terms cancel, results agree because the methods do.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_SPECIAL_FUNCTIONS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_SPECIAL_FUNCTIONS_H_

#include <cmath>
#include <limits>

#include "kernels/math/functions/element.h"

namespace dfrun::fn {

// The logarithm of |gamma(x)|. The host's lgamma() itself would write a global.
struct Lgamma {
  DF_HOST_DEVICE float operator()(float x) const {
#ifdef __CUDA_ARCH__
    return ::lgammaf(x);
#else
    int sign;
    return ::lgammaf_r(x, &sign);
#endif
  }
  DF_HOST_DEVICE double operator()(double x) const {
#ifdef __CUDA_ARCH__
    return ::lgamma(x);
#else
    int sign;
    return ::lgamma_r(x, &sign);
#endif
  }
};

struct Digamma {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    T reflected = 0;
    const bool reflect = x <= 0;
    if (reflect) {  // digamma(x) = digamma(1 - x) - pi / tan(pi x)
      T nearest = std::floor(x);
      if (nearest == x) return std::numeric_limits<T>::quiet_NaN();
      T rest = x - nearest;
      if (rest > T(0.5)) rest = x - (nearest + 1);
      reflected = rest == T(0.5) ? T(0) : T(kPi) / std::tan(T(kPi) * rest);
      x = T(1) - x;
    }
    T recurrence = 0;
    while (x < T(10)) {
      recurrence += T(1) / x;
      x += T(1);
    }
    const T y = std::log(x) - T(0.5) / x - Tail(x) - recurrence;
    return reflect ? y - reflected : y;
  }

 private:
  static constexpr double kPi = 3.14159265358979323846;

  // The sum of B(2k) / (2k x^(2k)): four terms reach float's precision from 10 on, seven double's.
  template <class T>
  DF_HOST_DEVICE static T Tail(T x) {
    constexpr T kTerms[] = {T(1.0 / 12),  T(-691.0 / 32760), T(1.0 / 132), T(-1.0 / 240),
                            T(1.0 / 252), T(-1.0 / 120),     T(1.0 / 12)};
    if (!(x < (sizeof(T) == 4 ? T(1e8) : T(1e17)))) return T(0);
    const T z = T(1) / (x * x);
    constexpr int kFirst = sizeof(T) == 4 ? 3 : 0;
    T sum = kTerms[kFirst];
    for (int i = kFirst + 1; i < 7; ++i) sum = sum * z + kTerms[i];
    return z * sum;
  }
};

// The sum of (q + n)^-x over n = 0, 1, 2, ...
struct Zeta {
  template <class T>
  DF_HOST_DEVICE T operator()(T x, T q) const {
    if (x == T(1)) return std::numeric_limits<T>::infinity();
    if (!(x > T(1))) return std::numeric_limits<T>::quiet_NaN();
    if (q == std::numeric_limits<T>::infinity()) return T(0);
    if (q <= T(0)) {
      const bool is_integer = x == std::floor(x);
      if (q == std::floor(q)) {
        const bool is_even = is_integer && (std::isinf(x) || std::fmod(x, T(2)) == 0);
        return is_even ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
      }
      if (!is_integer) return std::numeric_limits<T>::quiet_NaN();
    }
    return Sum(x, q);
  }

 private:
  template <class T>
  DF_HOST_DEVICE static T Sum(T x, T q) {
    constexpr T kPrecision = std::numeric_limits<T>::epsilon() / 2;
    T sum = std::pow(q, -x);
    T a = q;
    T term = 0;
    for (int i = 0; i < 9 || (sizeof(T) == 8 && a <= T(9)); ++i) {
      a += T(1);
      term = std::pow(a, -x);
      sum += term;
      if (std::abs(term / sum) < kPrecision) return sum;
    }
    if (term == T(0)) return sum;  // so are the terms that follow, whose factors may overflow
    return Rest(x, a, term, sum);
  }

  // Euler and Maclaurin's formula for the terms after (a, term); the divisors are (2k)! / B(2k).
  template <class T>
  DF_HOST_DEVICE static T Rest(T x, T a, T term, T sum) {
    constexpr double kDivisors[] = {12.0,
                                    -720.0,
                                    30240.0,
                                    -1209600.0,
                                    47900160.0,
                                    -1.8924375803183791606e9,
                                    7.47242496e10,
                                    -2.950130727918164224e12,
                                    1.1646782814350067249e14,
                                    -4.5979787224074726105e15,
                                    1.8152105401943546773e17,
                                    -7.1661652561756670113e18};
    sum += term * a / (x - T(1));
    sum -= T(0.5) * term;
    T factor = 1;
    T k = 0;
    for (const double divisor : kDivisors) {
      factor *= x + k;
      term /= a;
      const T t = factor * term / T(divisor);
      sum += t;
      if (std::abs(t / sum) < std::numeric_limits<T>::epsilon() / 2) break;
      k += T(1);
      factor *= x + k;
      term /= a;
      k += T(1);
    }
    return sum;
  }
};

struct Polygamma {
  template <class T>
  DF_HOST_DEVICE T operator()(T n, T x) const {
    if (n != std::floor(n) || n < T(0)) return std::numeric_limits<T>::quiet_NaN();
    if (n == T(0)) return Digamma()(x);
    const T factorial = std::exp(Lgamma()(n + T(1)));
    return std::pow(T(-1), n + T(1)) * factorial * Zeta()(n + T(1), x);
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_SPECIAL_FUNCTIONS_H_
