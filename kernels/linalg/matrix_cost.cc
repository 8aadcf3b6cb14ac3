#include "kernels/linalg/matrix_cost.h"

#include <algorithm>

namespace dfrun {

double MatrixCount(const CostContext& c) {
  const PartialShape& shape = c.input(0);
  double count = shape.known_rank() ? 1 : kUnknownCount;
  for (int d = 0; d < shape.rank() - 2; ++d) count *= c.input_dim(0, d);
  return count;
}

CostFn OfSquares(double (*flops)(double n)) {
  return [flops](const CostContext& c) { return WholeCost(c, MatrixCount(c) * flops(c.input_dim(0, -1))); };
}

CostFn OfSolution(double (*flops)(double n, double k)) {
  return [flops](const CostContext& c) {
    return WholeCost(c, MatrixCount(c) * flops(c.input_dim(0, -1), c.input_dim(1, -1)));
  };
}

OpCost OfMatrices(const CostContext& c, double (*flops)(double p, double k)) {
  const double rows = c.input_dim(0, -2);
  const double columns = c.input_dim(0, -1);
  // A size that is not known leaves the bytes unknown in any case.
  return WholeCost(c, MatrixCount(c) * flops(std::max(rows, columns), std::min(rows, columns)));
}

}  // namespace dfrun
