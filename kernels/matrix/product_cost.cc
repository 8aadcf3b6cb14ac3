#include "kernels/matrix/product_cost.h"

#include <string>
#include <vector>

namespace dfrun {

double FusedFlops(const CostContext& c) {
  const auto fused = static_cast<double>(c.attr<std::vector<std::string>>("fused_ops", {}).size());
  return fused * c.output_elements(0);
}

CostFn ProductCost(const char* transposes_first) {
  return [transposes_first](const CostContext& c) {
    const double k = c.input_dim(0, c.attr<bool>(transposes_first, false) ? -2 : -1);
    return WholeCost(c, 2 * c.output_elements(0) * k + FusedFlops(c));
  };
}

ProductSumSizes SizesOfProductSum(const CostContext& c, int a, int n) {
  const double rows = c.input_dim(a, c.attr<bool>("transpose_a", false) ? 1 : 0);
  const double columns = c.input_dim(a + n, c.attr<bool>("transpose_b", false) ? 0 : 1);
  double flops = 0;
  for (int i = 0; i < n; ++i) flops += 2 * c.input_elements(a + i) * columns;
  return {flops, rows * columns};
}

}  // namespace dfrun
