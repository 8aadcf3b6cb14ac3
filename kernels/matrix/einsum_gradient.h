// The gradient of Einsum, in further Einsums: the equation with operands and output exchanged.
#ifndef DFRUN_KERNELS_MATRIX_EINSUM_GRADIENT_H_
#define DFRUN_KERNELS_MATRIX_EINSUM_GRADIENT_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

void EinsumGradient(GradientBuilder& g);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_EINSUM_GRADIENT_H_
