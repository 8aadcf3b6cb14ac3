// Solutions and determinants by the LU decomposition with partial pivoting of an n x n matrix in row-major order.
// T: double, complex<double>. No output overlaps an input.
#ifndef DFRUN_KERNELS_LINALG_LU_H_
#define DFRUN_KERNELS_LINALG_LU_H_

#include <vector>

#include "src/base/status.h"

namespace dfrun {

// The inverse, or that of the adjoint. InvalidArgument where a pivot is zero.
template <class T>
Status InvertMatrix(const T* a, int64_t n, bool adjoint, T* inverse);

// x [n, k] with a x = b, or with the adjoint of a. InvalidArgument where a pivot is zero.
template <class T>
Status SolveMatrix(const T* a, const T* b, int64_t n, int64_t k, bool adjoint, T* x);

// The determinant is the product of the pivots, negated where the rows were permuted oddly.
template <class T>
struct LuPivots {
  std::vector<T> pivots;
  bool is_odd = false;
};
template <class T>
LuPivots<T> PivotsOf(const T* a, int64_t n);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_LU_H_
