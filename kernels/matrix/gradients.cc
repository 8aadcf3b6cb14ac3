#include "kernels/matrix/gradients.h"

#include "kernels/math/functions/gradients.h"

namespace dfrun {
namespace {

// The sizes but for those of the matrices; the rank is known.
PartialShape BatchDims(const PartialShape& shape) {
  return PartialShape(std::vector<int64_t>(shape.dims().begin(), shape.dims().end() - 2));
}

// The batch dimensions as a value that the step computes.
Output BatchDims(GradientBuilder& g, Output value) {
  const Output count = g.Op("Sub", g.Op("Rank", value), g.Const(Tensor::Scalar<int32_t>(2)));
  return g.Op("Slice", g.Op("Shape", value), g.Const({int32_t{0}}),
              g.Op("ExpandDims", count, g.Const(Tensor::Scalar<int32_t>(0))));
}

// `grad`, summed over the batch dimensions along which input `i` was repeated.
Output SumRepeated(GradientBuilder& g, int i, Output grad) {
  const PartialShape& mine = g.shape(g.x(i));
  const PartialShape& other = g.shape(g.x(1 - i));
  if (mine.known_rank() && other.known_rank() && BatchDims(mine).IsFullyDefined() &&
      BatchDims(mine) == BatchDims(other)) {
    return grad;
  }
  const AddedNode axes = g.Op("BroadcastGradientArgs", BatchDims(g, g.x(i)), BatchDims(g, g.x(1 - i)));
  return g.Op("Reshape", g.Op("Sum", grad, axes), g.Op("Shape", g.x(i)));
}

}  // namespace

void SetBatchGradients(GradientBuilder& g, Output x_grad, Output y_grad) {
  g.dx(0) = SumRepeated(g, 0, x_grad);
  g.dx(1) = SumRepeated(g, 1, y_grad);
}

Output MatrixProduct(GradientBuilder& g, Output a, Output b, bool adjoint_a, bool adjoint_b) {
  return g.Op("BatchMatMulV2", {{"adj_x", adjoint_a}, {"adj_y", adjoint_b}}, a, b);
}

Output Adjoint(GradientBuilder& g, Output matrices) {
  return Conj(g, g.AddNode("Einsum", {matrices}, {{"equation", "...ij->...ji"}}));
}

}  // namespace dfrun
