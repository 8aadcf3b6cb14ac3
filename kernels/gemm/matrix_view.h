// MatrixView: a matrix anywhere in memory, the form in which products take their operands.
#ifndef DFRUN_KERNELS_GEMM_MATRIX_VIEW_H_
#define DFRUN_KERNELS_GEMM_MATRIX_VIEW_H_

#include <cstdint>

namespace dfrun {

// A matrix in row-major order, or the transpose of one: rows (of the memory) are `stride` elements apart.
template <class T>
struct MatrixView {
  T* data;
  int64_t stride;
  bool transposed;

  // The view whose element (0, 0) is this one's (row, column).
  MatrixView At(int64_t row, int64_t column) const {
    return {data + (transposed ? column * stride + row : row * stride + column), stride, transposed};
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_MATRIX_VIEW_H_
