// The regularised incomplete beta function.
#ifndef DFRUN_KERNELS_MATH_INCOMPLETE_BETA_H_
#define DFRUN_KERNELS_MATH_INCOMPLETE_BETA_H_

namespace dfrun {

// The integral of t^(a - 1) (1 - t)^(b - 1) over [0, x], divided by that over [0, 1]. NaN unless a > 0, b > 0 and
// 0 <= x <= 1. By the power series where b x is small, else by Lentz's evaluation of the continued fraction on the side
// of the mean where it converges fast.
double IncompleteBeta(double a, double b, double x);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_INCOMPLETE_BETA_H_
