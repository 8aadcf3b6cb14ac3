// Shape functions of ops on batches of matrices.
#ifndef DFRUN_KERNELS_LINALG_MATRIX_SHAPES_H_
#define DFRUN_KERNELS_LINALG_MATRIX_SHAPES_H_

#include <initializer_list>

#include "src/framework/op/inference.h"

namespace dfrun {

// The known shape of an input that is a batch of matrices: all of it is unknown where its rank is.
struct PartialMatrices {
  PartialShape batch;  // all dimensions but the last two
  int64_t rows = PartialShape::kUnknown;
  int64_t columns = PartialShape::kUnknown;

  // The batch with these dimensions for each matrix.
  PartialShape With(std::initializer_list<int64_t> dims) const;
};

// InvalidArgument for a rank below 2.
Result<PartialMatrices> PartialMatricesOf(const InferenceContext& c, int input);
// The sizes of square matrices, whose rows and columns are equally known. InvalidArgument for a rank below 2, too.
Result<PartialMatrices> PartialSquareMatricesOf(const InferenceContext& c, int input);

// min(a, b) of sizes that may be unknown.
int64_t SmallerSize(int64_t a, int64_t b);
// Merges two sizes that must be equal.
Result<int64_t> MergeSizes(int64_t a, int64_t b);

// Output 0 is a batch of square matrices like input 0.
Status SquareMatrixShape(InferenceContext& c);
// Every output is a number for each square matrix of input 0.
Status NumberPerSquareMatrixShape(InferenceContext& c);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_MATRIX_SHAPES_H_
