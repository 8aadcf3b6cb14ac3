#include "kernels/matrix/matmul_shape.h"
#include "kernels/matrix/product_cost.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The variable, which may be behind a handle, has the size of the sum; alpha times that is taken from it.
OpCost DescentCost(const CostContext& c) {
  const ProductSumSizes sum = SizesOfProductSum(c, 2, c.num_inputs() / 2 - 1);
  const double variable = sum.elements * c.element_bytes(1);
  return {sum.flops + 2 * sum.elements, c.bytes_in(1) + variable, variable};
}

Status DescentShape(InferenceContext& c) {
  const bool of_ref = c.num_outputs() > 0;
  DF_TRY(c.WithRank(1, 0).status());
  DF_ASSIGN(PartialShape shape, ProductSumShape(c, 2, c.num_inputs() / 2 - 1));
  DF_ASSIGN(shape, shape.Merge(of_ref ? c.input(0) : c.handle_shape(0)));
  if (of_ref) c.set_output(0, std::move(shape));
  return Status();
}

// Declares the inputs and attrs that follow the variable.
void Descent(OpBuilder& op) {
  op.Input("alpha: T").Input("a: N * T").Input("b: N * T");
  op.Attr("N: int >= 1 = 1")
      .Attr("T: {float, double}")
      .Attr("transpose_a: bool = false")
      .Attr("transpose_b: bool = false");
  op.Shape(&DescentShape).GradientEnds(GradientFlow::kState);
  op.Doc(
      "Gradient descent by the sum of the products of each of a by its b, alpha times: made when a graph is "
      "optimised.");
}

OP("_MatMulApplyGradientDescent").Input("var: Ref(T)").As(&Descent).Output("out: Ref(T)").Own().Cost(&DescentCost);
OP("_MatMulResourceApplyGradientDescent").Input("var: resource").As(&Descent).Stateful().Own().Cost(&DescentCost);

}  // namespace
}  // namespace dfrun
