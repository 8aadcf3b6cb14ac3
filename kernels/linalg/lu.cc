#include "kernels/linalg/lu.h"

#define EIGEN_DONT_PARALLELIZE  // threads are the pool's

#include <Eigen/LU>
#include <algorithm>
#include <complex>

#include "kernels/linalg/eigen_maps.h"

namespace dfrun {
namespace {

// True if the smallest pivot is not above zero. It is found as TensorFlow finds it: a NaN is smaller than any where it
// is the first, and goes on into the result where it is a later one.
template <class T>
bool IsSingular(const Eigen::PartialPivLU<EigenMatrix<T>>& lu) {
  const auto pivots = lu.matrixLU().diagonal();
  if (pivots.size() == 0) return false;
  auto smallest = std::abs(pivots[0]);
  for (const T& pivot : pivots) smallest = std::min(smallest, std::abs(pivot));
  return !(smallest > 0);
}

template <class T>
Result<Eigen::PartialPivLU<EigenMatrix<T>>> Decompose(const T* a, int64_t n, bool adjoint) {
  const auto matrix = AsEigen(a, n, n);
  Eigen::PartialPivLU<EigenMatrix<T>> lu(n);
  if (adjoint) {
    lu.compute(matrix.adjoint());
  } else {
    lu.compute(matrix);
  }
  if (IsSingular(lu)) return InvalidArgument("Input matrix is not invertible.");
  return lu;
}

}  // namespace

template <class T>
Status InvertMatrix(const T* a, int64_t n, bool adjoint, T* inverse) {
  DF_ASSIGN(const auto lu, Decompose(a, n, adjoint));
  AsEigen(inverse, n, n) = lu.inverse();
  return Status();
}

template <class T>
Status SolveMatrix(const T* a, const T* b, int64_t n, int64_t k, bool adjoint, T* x) {
  DF_ASSIGN(const auto lu, Decompose(a, n, adjoint));
  AsEigen(x, n, k) = lu.solve(AsEigen(b, n, k));
  return Status();
}

template <class T>
LuPivots<T> PivotsOf(const T* a, int64_t n) {
  if (n == 0) return {};
  const Eigen::PartialPivLU<EigenMatrix<T>> lu(AsEigen(a, n, n));
  const auto diagonal = lu.matrixLU().diagonal();
  LuPivots<T> result;
  for (int64_t i = 0; i < n; ++i) result.pivots.push_back(diagonal[i]);
  result.is_odd = lu.permutationP().determinant() < 0;
  return result;
}

#define DF_LU(T)                                                               \
  template Status InvertMatrix(const T*, int64_t, bool, T*);                   \
  template Status SolveMatrix(const T*, const T*, int64_t, int64_t, bool, T*); \
  template LuPivots<T> PivotsOf(const T*, int64_t);
DF_LU(double)
DF_LU(std::complex<double>)
#undef DF_LU

}  // namespace dfrun
