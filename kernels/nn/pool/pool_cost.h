// The cost of pooling: an operation for each element of each window.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_COST_H_
#define DFRUN_KERNELS_NN_POOL_POOL_COST_H_

#include "src/framework/op/cost.h"

namespace dfrun {

// Windows of attr ksize, one an element of output 0.
inline CostFn PoolCost() {
  return [](const CostContext& c) { return WholeCost(c, c.ProductOfAttr("ksize") * c.output_elements(0)); };
}

// One an element of input `grad`.
inline CostFn PoolGradCost(int grad) {
  return [grad](const CostContext& c) { return WholeCost(c, c.ProductOfAttr("ksize") * c.input_elements(grad)); };
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_POOL_COST_H_
