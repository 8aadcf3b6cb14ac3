// SingularValues() as a template, for the files that instantiate it: each of Eigen's takes seconds to compile.
#ifndef DFRUN_KERNELS_LINALG_SVD_H_
#define DFRUN_KERNELS_LINALG_SVD_H_

#define EIGEN_DONT_PARALLELIZE  // threads are the pool's
#include <Eigen/SVD>
#include <complex>
#include <limits>

#include "kernels/linalg/eigen_maps.h"
#include "kernels/linalg/orthogonal.h"

namespace dfrun {

template <class T>
void SingularValues(const T* a, int64_t m, int64_t n, bool vectors, bool full, T* s, T* u, T* v) {
  using Real = typename Eigen::NumTraits<T>::Real;
  const int64_t small = std::min(m, n);
  const int64_t p = full ? m : small;
  const int64_t q = full ? n : small;
  const auto matrix = AsEigen(a, m, n);
  if (small == 0) {
    if (!vectors) return;
    AsEigen(u, m, p).setIdentity();
    AsEigen(v, n, q).setIdentity();
    return;
  }
  if (!matrix.allFinite()) {
    constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
    std::fill_n(s, small, T(kNaN));
    if (!vectors) return;
    std::fill_n(u, m * p, T(kNaN));
    std::fill_n(v, n * q, T(kNaN));
    return;
  }
  const unsigned which = full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<EigenMatrix<T>> svd(matrix, vectors ? which : 0);
  AsEigen(s, small, 1) = svd.singularValues().template cast<T>();
  if (!vectors) return;
  AsEigen(u, m, p) = svd.matrixU();
  AsEigen(v, n, q) = svd.matrixV();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_SVD_H_
