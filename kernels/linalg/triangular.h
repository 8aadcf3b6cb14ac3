// Matrices of which one triangle counts, in row-major order. T: double,
// complex<double>.
#ifndef DFRUN_KERNELS_LINALG_TRIANGULAR_H_
#define DFRUN_KERNELS_LINALG_TRIANGULAR_H_

#include <cstdint>

namespace dfrun {

// x [n, k] with a x = b, or with the adjoint of a, where the other triangle of a [n, n] is taken as zeros. A zero on
// the diagonal divides: infinity or NaN.
template <class T>
void SolveTriangular(const T* a, const T* b, int64_t n, int64_t k, bool lower, bool adjoint, T* x);

// The lower triangular l [n, n] with l l^H = a, of whose lower triangle is read. False, and l is to be ignored, where a
// is not positive definite.
template <class T>
bool CholeskyFactor(const T* a, int64_t n, T* l);

// The gradient of CholeskyFactor's a, symmetric, where `grad` reached l. T: double.
template <class T>
void CholeskyGradient(const T* l, const T* grad, int64_t n, T* result);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_TRIANGULAR_H_
