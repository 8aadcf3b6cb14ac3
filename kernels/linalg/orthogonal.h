// Decompositions into orthogonal and simpler factors of matrices in row-major order; signs and phases are those of
// Eigen's algorithms, as TensorFlow's. Empty matrices give identities. T: double, complex<double>; of eigenvalues float
// and complex<float> too.
#ifndef DFRUN_KERNELS_LINALG_ORTHOGONAL_H_
#define DFRUN_KERNELS_LINALG_ORTHOGONAL_H_

#include <algorithm>
#include <cstdint>

namespace dfrun {

// a [m, n] = q [m, p] r [p, n], r upper triangular; p is m for full matrices, else min(m, n).
template <class T>
void QrFactors(const T* a, int64_t m, int64_t n, bool full, T* q, T* r);

// The singular values s [min(m, n)] of a [m, n], falling, real numbers in elements of T. With `vectors` also
// u [m, p] and v [n, q] with a = u diag(s) v^H; p and q are m and n for full matrices, else min(m, n). NaN where a is
// not finite.
template <class T>
void SingularValues(const T* a, int64_t m, int64_t n, bool vectors, bool full, T* s, T* u, T* v);

// The eigenvalues e [n] of a [n, n], rising, real numbers in elements of T, and where `v` is not null the eigenvectors,
// columns of v [n, n]. a is taken as self-adjoint: its lower triangle is read. False where they are not found.
template <class T>
bool SelfAdjointEigenvalues(const T* a, int64_t n, T* e, T* v);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_ORTHOGONAL_H_
