#include "kernels/linalg/triangular.h"

#define EIGEN_DONT_PARALLELIZE  // threads are the pool's

#include <Eigen/Cholesky>
#include <complex>

#include "kernels/linalg/eigen_maps.h"

namespace dfrun {

template <class T>
void SolveTriangular(const T* a, const T* b, int64_t n, int64_t k, bool lower, bool adjoint, T* x) {
  const auto matrix = AsEigen(a, n, n);
  auto solution = AsEigen(x, n, k);
  solution = AsEigen(b, n, k);
  if (lower && !adjoint) {
    matrix.template triangularView<Eigen::Lower>().solveInPlace(solution);
  } else if (lower) {
    matrix.adjoint().template triangularView<Eigen::Upper>().solveInPlace(solution);
  } else if (!adjoint) {
    matrix.template triangularView<Eigen::Upper>().solveInPlace(solution);
  } else {
    matrix.adjoint().template triangularView<Eigen::Lower>().solveInPlace(solution);
  }
}

template <class T>
bool CholeskyFactor(const T* a, int64_t n, T* l) {
  const Eigen::LLT<EigenMatrix<T>> llt(AsEigen(a, n, n));
  if (llt.info() != Eigen::Success) return false;
  AsEigen(l, n, n) = llt.matrixL();
  return true;
}

// The gradient is the symmetric part of l^-T P l^-1, where P is the lower triangle of l^T grad with its diagonal halved
// (Murray 2016, eq. 10).
template <class T>
void CholeskyGradient(const T* l_data, const T* grad, int64_t n, T* result) {
  const auto l = AsEigen(l_data, n, n);
  EigenMatrix<T> middle = (l.template triangularView<Eigen::Lower>().transpose() * AsEigen(grad, n, n))
                              .template triangularView<Eigen::Lower>();
  middle.diagonal() *= T(0.5);
  l.transpose().template triangularView<Eigen::Upper>().solveInPlace(middle);
  l.template triangularView<Eigen::Lower>().template solveInPlace<Eigen::OnTheRight>(middle);
  AsEigen(result, n, n) = T(0.5) * (middle + middle.transpose());
}

#define DF_TRIANGULAR(T)                                                               \
  template void SolveTriangular(const T*, const T*, int64_t, int64_t, bool, bool, T*); \
  template bool CholeskyFactor(const T*, int64_t, T*);
DF_TRIANGULAR(double)
DF_TRIANGULAR(std::complex<double>)
#undef DF_TRIANGULAR
template void CholeskyGradient(const double*, const double*, int64_t, double*);

}  // namespace dfrun
