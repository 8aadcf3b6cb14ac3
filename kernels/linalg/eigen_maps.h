// Row-major matrices in plain memory as Eigen sees them. Costs 1.4 s to include: only for the files that decompose.
#ifndef DFRUN_KERNELS_LINALG_EIGEN_MAPS_H_
#define DFRUN_KERNELS_LINALG_EIGEN_MAPS_H_

#include <Eigen/Core>
#include <cstdint>

namespace dfrun {

template <class T>
using EigenMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<const EigenMatrix<T>> AsEigen(const T* data, int64_t rows, int64_t columns) {
  return {data, rows, columns};
}
template <class T>
Eigen::Map<EigenMatrix<T>> AsEigen(T* data, int64_t rows, int64_t columns) {
  return {data, rows, columns};
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_EIGEN_MAPS_H_
