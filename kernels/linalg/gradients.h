// Helpers of the gradients of decompositions. Source: the formulas of TensorFlow's linalg_grad.
#ifndef DFRUN_KERNELS_LINALG_GRADIENTS_H_
#define DFRUN_KERNELS_LINALG_GRADIENTS_H_

#include "kernels/matrix/gradients.h"
#include "src/framework/op/gradient.h"

namespace dfrun {

// The lower or upper triangle of each matrix, zeros elsewhere.
Output LowerTriangle(GradientBuilder& g, Output matrices);
Output UpperTriangle(GradientBuilder& g, Output matrices);
// The matrices with their diagonals halved.
Output HalvedDiagonal(GradientBuilder& g, Output matrices);

Output Scaled(GradientBuilder& g, Output value, double factor);
// Numbers, one a matrix, times those matrices.
Output ScaledMatrices(GradientBuilder& g, Output numbers, Output matrices);

// x / (x^2 + 1e-20): 1 / x, but 0 for 0.
Output SafeReciprocal(GradientBuilder& g, Output x);
// f[i, j] = 1 / (x[j] - x[i]) off the diagonal, 0 on it, for each vector x.
Output ReciprocalDifferences(GradientBuilder& g, Output x);

// Columns [begin, end) of each matrix; the rank is known.
Output Columns(GradientBuilder& g, Output matrices, int64_t begin, int64_t end);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_GRADIENTS_H_
