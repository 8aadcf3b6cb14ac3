#include "kernels/matrix/matmul_shape.h"
#include "kernels/matrix/product_cost.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OpCost MatMulSumCost(const CostContext& c) {
  return WholeCost(c, SizesOfProductSum(c, 0, c.num_inputs() / 2).flops);
}

Status MatMulSumShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape shape, ProductSumShape(c, 0, c.num_inputs() / 2));
  c.set_output(0, std::move(shape));
  return Status();
}

OP("_MatMulSum")
    .Input("a: N * T")
    .Input("b: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {float, double}")
    .Shape(&MatMulSumShape)
    .Own()
    .Cost(&MatMulSumCost)
    .Doc("AddN of the MatMuls of each of a by its b: made when a graph is optimised.");

}  // namespace
}  // namespace dfrun
