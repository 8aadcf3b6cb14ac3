#define EIGEN_DONT_PARALLELIZE  // threads are the pool's

#include <Eigen/QR>
#include <complex>

#include "kernels/linalg/eigen_maps.h"
#include "kernels/linalg/orthogonal.h"

namespace dfrun {

template <class T>
void QrFactors(const T* a, int64_t m, int64_t n, bool full, T* q, T* r) {
  const int64_t p = full ? m : std::min(m, n);
  if (m == 0 || n == 0) {
    AsEigen(q, m, p).setIdentity();
    return;
  }
  const Eigen::HouseholderQR<EigenMatrix<T>> qr(AsEigen(a, m, n));
  AsEigen(q, m, p) = qr.householderQ() * EigenMatrix<T>::Identity(m, p);
  AsEigen(r, p, n) = qr.matrixQR().topRows(p).template triangularView<Eigen::Upper>();
}

template void QrFactors(const double*, int64_t, int64_t, bool, double*, double*);
template void QrFactors(const std::complex<double>*, int64_t, int64_t, bool, std::complex<double>*,
                        std::complex<double>*);

}  // namespace dfrun
