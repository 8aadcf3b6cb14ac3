// MatMul: signature, shape, gradient.
#include <utility>

#include "kernels/math/functions/gradients.h"
#include "kernels/matrix/matmul_shape.h"
#include "kernels/matrix/product_cost.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

Output MatMulOf(GradientBuilder& g, Output a, bool transpose_a, Output b, bool transpose_b, const char* mark) {
  return g.Op("MatMul", {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}, {mark, true}}, a, b);
}

void MatMulGradient(GradientBuilder& g) {
  const bool ta = g.attr<bool>("transpose_a");
  const bool tb = g.attr<bool>("transpose_b");
  const Output a = Conj(g, g.x(0));
  const Output b = Conj(g, g.x(1));
  const Output dy = g.dy(0);
  g.dx(0) = ta ? MatMulOf(g, b, tb, dy, true, "grad_a") : MatMulOf(g, dy, false, b, !tb, "grad_a");
  g.dx(1) = tb ? MatMulOf(g, dy, true, a, ta, "grad_b") : MatMulOf(g, a, !ta, dy, false, "grad_b");
}

Status MatMulGeluShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape bias, c.WithRank(2, 1));
  DF_ASSIGN(PartialShape shape, ProductShape(c, 0, 1));
  DF_ASSIGN(const PartialShape columns, PartialShape({shape.dim(1)}).Merge(bias));
  shape.set_dim(1, columns.dim(0));
  c.set_output(1, shape);
  c.set_output(0, std::move(shape));
  return Status();
}

// Each row of the product is that of a row of a, whatever the others are: the blocks that a product is cut into add
// along the inner dimension in one order.
SampleRows MatMulRows(const RowContext& c, int output) {
  const Result<bool> transposed = c.attrs().Get<bool>("transpose_a");
  return transposed.ok() && !*transposed ? RowsOfInputs({0})(c, output) : SampleRows::Mixed();
}

}  // namespace

OP("MatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}")
    .Attr("grad_a: bool = false")
    .Attr("grad_b: bool = false")
    .Shape(&MatMulShape)
    .Gradient(&MatMulGradient)
    .Cost(ProductCost("transpose_a"))
    .Total()
    .Rows(&MatMulRows)
    .Doc("The product of two matrices, either of which may be taken transposed.");

OP("_FusedMatMul")
    .Input("a: T")
    .Input("b: T")
    .Input("args: num_args * T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("num_args: int >= 0")
    .Attr("fused_ops: list(string) = []")
    .Shape(&MatMulShape)
    .Cost(ProductCost("transpose_a"))
    .Doc("MatMul followed by the ops that fused_ops names, on args: made when a graph is optimised.");

OP("_MatMulBiasGelu")
    .Input("a: T")
    .Input("b: T")
    .Input("bias: T")
    .Output("features: T")
    .Output("activations: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("approximate: bool = false")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(&MatMulGeluShape)
    .Own()
    .Cost(ProductCost("transpose_a"))
    .Doc("BiasAdd of MatMul, and Gelu of that: made when a graph is optimised.");

}  // namespace dfrun
