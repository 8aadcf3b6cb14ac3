// Polynomials in straight-line code.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_HORNER_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_HORNER_H_

#include <cmath>

#include "kernels/math/functions/element.h"

namespace dfrun {

// The polynomial in x with these coefficients, that of the highest power first.
template <class T, class... Ts>
[[gnu::always_inline]] DF_HOST_DEVICE inline T Horner(T x, T highest, Ts... lower) {
  T sum = highest;
  ((sum = std::fma(sum, x, T(lower))), ...);
  return sum;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_HORNER_H_
