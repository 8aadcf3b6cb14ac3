// Gradients of ops on batches of matrices, and the products that they are made of.
#ifndef DFRUN_KERNELS_MATRIX_GRADIENTS_H_
#define DFRUN_KERNELS_MATRIX_GRADIENTS_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

// Sets dx(0) and dx(1) of an op that pairs two batches of matrices whose leading dimensions broadcast: each gradient is
// summed over the dimensions along which its input was repeated. Adds no node where the shapes show that none was.
void SetBatchGradients(GradientBuilder& g, Output x_grad, Output y_grad);

// The products of two batches of matrices, which broadcast; either side may be taken as its adjoint.
Output MatrixProduct(GradientBuilder& g, Output a, Output b, bool adjoint_a = false, bool adjoint_b = false);
// The adjoint of each matrix of a batch.
Output Adjoint(GradientBuilder& g, Output matrices);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_GRADIENTS_H_
