// What matrix products cost: 2 m k n operations, and one an element for each op that follows in the same node.
#ifndef DFRUN_KERNELS_MATRIX_PRODUCT_COST_H_
#define DFRUN_KERNELS_MATRIX_PRODUCT_COST_H_

#include "src/framework/cost.h"

namespace dfrun {

// Inputs 0 and 1 are matrices or batches of them, output 0 is their product; the attr says whether input 0 is taken
// transposed.
CostFn ProductCost(const char* transposes_first);

// Of the ops that attr fused_ops names.
double FusedFlops(const CostContext& c);

// Of `n` products: inputs a, a + 1, ... each by the one `n` inputs later, of which attrs transpose_a and transpose_b
// say how they are taken.
struct ProductSumSizes {
  double flops;     // of the products, with their sum
  double elements;  // of the sum
};
ProductSumSizes SizesOfProductSum(const CostContext& c, int a, int n);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_PRODUCT_COST_H_
