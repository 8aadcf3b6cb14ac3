// Householder reflections of the matrix of a block of threads, with the signs of Eigen's.
#ifndef DFRUN_KERNELS_LINALG_REFLECTION_CUDA_H_
#define DFRUN_KERNELS_LINALG_REFLECTION_CUDA_H_

#include <cmath>
#include <limits>

#include "kernels/linalg/matrix_cuda.h"

namespace dfrun::cuda {

struct Plus {
  template <class C>
  DF_HOST_DEVICE C operator()(C a, C b) const {
    return a + b;
  }
};

// Reflects column `column` of a [m, ...], from row `row` on, to its first element. That element becomes the only one,
// and below it lies the reflection's vector, whose first element is 1. Returns the reflection's factor.
template <class C>
DF_DEVICE_FUNCTION C MakeReflection(const GpuMatrix<C>& a, int64_t m, int64_t row, int64_t column) {
  using Real = RealPart<C>;
  Real mine = 0;
  ForThreads(row + 1, m, [&](int64_t i) { mine += SquareOf(a(i, column)); });
  const Real below = BlockReduce(mine, Plus());
  const C first = a(row, column);
  const Real real = RealOf(first);
  constexpr Real kSmallest = std::numeric_limits<Real>::min();
  const bool is_done = below <= kSmallest && SquareOf(first - C(real)) <= kSmallest;
  const Real size = std::sqrt(SquareOf(first) + below);
  const Real beta = is_done ? real : real >= 0 ? -size : size;
  Barrier();  // all have read the first element
  ForThreads(row + 1, m, [&](int64_t i) { a(i, column) = is_done ? C(0) : a(i, column) / (first - C(beta)); });
  if (ThreadInBlock() == 0) a(row, column) = C(beta);
  Barrier();
  return is_done ? C(0) : ConjugateOf((C(beta) - first) / C(beta));
}

// Rows from `row` on of column j of `to`, less `factor` times the vector in `column` of a times its product with them.
template <class C>
DF_DEVICE_FUNCTION void Reflect(const GpuMatrix<C>& a, int64_t m, int64_t row, int64_t column, C factor,
                                const GpuMatrix<C>& to, int64_t j) {
  C product = to(row, j);
  for (int64_t i = row + 1; i < m; ++i) product += ConjugateOf(a(i, column)) * to(i, j);
  product = product * factor;
  to(row, j) -= product;
  for (int64_t i = row + 1; i < m; ++i) to(i, j) -= a(i, column) * product;
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_LINALG_REFLECTION_CUDA_H_
