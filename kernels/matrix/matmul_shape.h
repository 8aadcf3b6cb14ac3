// The shape function of ops that multiply two matrices.
#ifndef DFRUN_KERNELS_MATRIX_MATMUL_SHAPE_H_
#define DFRUN_KERNELS_MATRIX_MATMUL_SHAPE_H_

#include "src/framework/op/inference.h"

namespace dfrun {

// Inputs 0 and 1 are matrices; attrs transpose_a and transpose_b.
Status MatMulShape(InferenceContext& c);

// The shape of the product of inputs `a` and `b`, with the same attrs.
Result<PartialShape> ProductShape(InferenceContext& c, int a, int b);

// The shape of the sum of products of `terms` inputs from `first` on by as many that follow them.
Result<PartialShape> ProductSumShape(InferenceContext& c, int first, int terms);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_MATMUL_SHAPE_H_
