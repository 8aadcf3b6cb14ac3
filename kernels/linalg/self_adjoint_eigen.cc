#define EIGEN_DONT_PARALLELIZE  // threads are the pool's

#include <Eigen/Eigenvalues>
#include <complex>

#include "kernels/linalg/eigen_maps.h"
#include "kernels/linalg/orthogonal.h"

namespace dfrun {

template <class T>
bool SelfAdjointEigenvalues(const T* a, int64_t n, T* e, T* v) {
  const int what = v != nullptr ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly;
  const Eigen::SelfAdjointEigenSolver<EigenMatrix<T>> solver(AsEigen(a, n, n), what);
  if (solver.info() != Eigen::Success) return false;
  AsEigen(e, n, 1) = solver.eigenvalues().template cast<T>();
  if (v != nullptr) AsEigen(v, n, n) = solver.eigenvectors();
  return true;
}

template bool SelfAdjointEigenvalues(const float*, int64_t, float*, float*);
template bool SelfAdjointEigenvalues(const double*, int64_t, double*, double*);
template bool SelfAdjointEigenvalues(const std::complex<float>*, int64_t, std::complex<float>*, std::complex<float>*);
template bool SelfAdjointEigenvalues(const std::complex<double>*, int64_t, std::complex<double>*,
                                     std::complex<double>*);

}  // namespace dfrun
