// The matrices and right-hand sides of a node that solves linear equations.
#ifndef DFRUN_KERNELS_LINALG_EQUATIONS_H_
#define DFRUN_KERNELS_LINALG_EQUATIONS_H_

#include "kernels/linalg/matrix_batch.h"

namespace dfrun {

struct Equations {
  MatrixBatch matrix;
  MatrixBatch rhs;

  double work() const {
    const auto n = static_cast<double>(matrix.rows);
    return n * n * static_cast<double>(rhs.columns);
  }
};

// The equations of inputs 0 and 1; InvalidArgument unless the matrices are square and have as many rows as the
// right-hand sides.
inline Result<Equations> EquationsOf(const OpContext& ctx) {
  const Tensor& matrix = ctx.input(0);
  const Tensor& rhs = ctx.input(1);
  Equations equations;
  DF_ASSIGN(equations.matrix, SquareMatricesOf(matrix));
  DF_ASSIGN(equations.rhs, MatricesOf(rhs));
  if (equations.matrix.rows == equations.rhs.rows) return equations;
  return InvalidArgument("the matrices of shape ", matrix.shape(), " and the right-hand sides of shape ", rhs.shape(),
                         " differ in their rows");
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_EQUATIONS_H_
