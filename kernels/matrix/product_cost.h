// Costs of matrix products: 2 m k n operations, and one an element for each op that follows in the same node.
#ifndef DFRUN_KERNELS_MATRIX_PRODUCT_COST_H_
#define DFRUN_KERNELS_MATRIX_PRODUCT_COST_H_

#include "src/framework/op/cost.h"

namespace dfrun {

// Inputs 0 and 1 are matrices or batches of them, output 0 is their product; the attr says whether input 0 is taken
// transposed.
CostFn ProductCost(const char* transposes_first);

// The operations of the ops that attr fused_ops names.
double FusedFlops(const CostContext& c);

// The sizes of `n` products: inputs a, a + 1, ... each by the one `n` inputs later. Attrs transpose_a and transpose_b
// say if they are transposed.
struct ProductSumSizes {
  double flops;     // operations of the products, with their sum
  double elements;  // elements of the sum
};
ProductSumSizes SizesOfProductSum(const CostContext& c, int a, int n);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_PRODUCT_COST_H_
