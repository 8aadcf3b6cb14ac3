// The costs of ops on batches of matrices. The counts are the leading terms of Golub and Van Loan, Matrix Computations.
#ifndef DFRUN_KERNELS_LINALG_MATRIX_COST_H_
#define DFRUN_KERNELS_LINALG_MATRIX_COST_H_

#include "src/framework/op/cost.h"

namespace dfrun {

// The matrices of input 0.
double MatrixCount(const CostContext& c);

// The cost of an op on n x n matrices, which takes flops(n) for each.
CostFn OfSquares(double (*flops)(double n));
// The cost of an op on n x n matrices with k right-hand sides, which are input 1.
CostFn OfSolution(double (*flops)(double n, double k));
// The cost of an op on matrices with sides p >= k.
OpCost OfMatrices(const CostContext& c, double (*flops)(double p, double k));

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_MATRIX_COST_H_
