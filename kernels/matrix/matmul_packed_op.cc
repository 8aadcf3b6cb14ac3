#include "kernels/matrix/product_cost.h"
#include "src/framework/op/inference.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The panels have the elements of the matrix that they are made of, and some zeros.
OpCost PackWeightsCost(const CostContext& c) {
  return {0, c.input_bytes(0), c.input_bytes(0)};
}

OpCost MatMulPackedCost(const CostContext& c) {
  const double k = c.input_dim(0, 1);
  const double panels = k * c.output_dim(0, 1) * c.element_bytes(1);
  return {2 * c.output_elements(0) * k + FusedFlops(c), c.input_bytes(0) + panels + c.bytes_in(2), c.bytes_out()};
}

Status PackWeightsShape(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 2).status());
  c.set_output(0, PartialShape({-1}));  // whole vectors of this machine
  return Status();
}

Status MatMulPackedShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape a, c.WithRank(0, 2));
  DF_TRY(c.WithRank(1, 1).status());
  DF_ASSIGN(const int64_t columns, c.attr<int64_t>("columns"));
  c.set_output(0, PartialShape({a.dim(0), columns}));
  return Status();
}

OP("_PackWeights")
    .Input("b: T")
    .Output("panels: T")
    .Attr("transpose_b: bool = false")
    .Attr("T: {float, double}")
    .Shape(&PackWeightsShape)
    .Own()
    .Cost(&PackWeightsCost)
    .Doc("A matrix in the order in which products read it, for many of them: made when a graph is optimised.");

OP("_MatMulPacked")
    .Input("a: T")
    .Input("panels: T")
    .Input("args: num_args * T")
    .Output("product: T")
    .Attr("columns: int >= 1")
    .Attr("T: {float, double}")
    .Attr("num_args: int >= 0")
    .Attr("fused_ops: list(string) = []")
    .Shape(&MatMulPackedShape)
    .Own()
    .Cost(&MatMulPackedCost)
    .Doc(
        "_FusedMatMul by a matrix of so many columns that _PackWeights has put in order: made when a graph is "
        "optimised.");

}  // namespace
}  // namespace dfrun
