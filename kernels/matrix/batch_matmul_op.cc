// BatchMatMul: a product for every matrix of a batch; V2 broadcasts the batches against each other, V3 takes operands
// of other dtypes than the product's.
#include "kernels/matrix/gradients.h"
#include "kernels/matrix/product_cost.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// The shape of an operand of which only its batch, that of `other`, is known.
PartialShape MatricesLike(const PartialShape& other) {
  PartialShape x = other;
  x.set_dim(x.rank() - 2, PartialShape::kUnknown);
  x.set_dim(x.rank() - 1, PartialShape::kUnknown);
  return x;
}

Status BatchShape(InferenceContext& c, bool broadcasts) {
  DF_ASSIGN(PartialShape x, c.WithRankAtLeast(0, 2));
  DF_ASSIGN(PartialShape y, c.WithRankAtLeast(1, 2));
  if (!broadcasts && !x.known_rank() && y.known_rank()) x = MatricesLike(y);
  if (!broadcasts && !y.known_rank() && x.known_rank()) y = MatricesLike(x);
  if (!x.known_rank() || !y.known_rank()) return Status();
  DF_ASSIGN(const bool adj_x, c.attr<bool>("adj_x"));
  DF_ASSIGN(const bool adj_y, c.attr<bool>("adj_y"));
  const int64_t inner_x = x.dim(x.rank() - (adj_x ? 2 : 1));
  const int64_t inner_y = y.dim(y.rank() - (adj_y ? 1 : 2));
  if (inner_x >= 0 && inner_y >= 0 && inner_x != inner_y) {
    return InvalidArgument("cannot multiply batches ", x, " and ", y, ": the inner sizes ", inner_x, " and ", inner_y,
                           " differ");
  }
  const PartialShape batch_x(std::vector<int64_t>(x.dims().begin(), x.dims().end() - 2));
  const PartialShape batch_y(std::vector<int64_t>(y.dims().begin(), y.dims().end() - 2));
  DF_ASSIGN(PartialShape product, broadcasts ? BroadcastShapes(batch_x, batch_y) : batch_x.Merge(batch_y));
  product.Append(x.dim(x.rank() - (adj_x ? 1 : 2)));
  product.Append(y.dim(y.rank() - (adj_y ? 2 : 1)));
  c.set_output(0, std::move(product));
  return Status();
}

Output BatchMatMulOf(GradientBuilder& g, Output a, bool adj_a, Output b, bool adj_b, const char* mark) {
  return g.Op("BatchMatMulV2", {{"adj_x", adj_a}, {"adj_y", adj_b}, {mark, true}}, a, b);
}

void BatchMatMulGradient(GradientBuilder& g) {
  const bool adj_x = g.attr<bool>("adj_x");
  const bool adj_y = g.attr<bool>("adj_y");
  const Output x = g.x(0);
  const Output y = g.x(1);
  const Output dy = g.dy(0);
  const Output x_grad =
      adj_x ? BatchMatMulOf(g, y, adj_y, dy, true, "grad_x") : BatchMatMulOf(g, dy, false, y, !adj_y, "grad_x");
  const Output y_grad =
      adj_y ? BatchMatMulOf(g, dy, true, x, adj_x, "grad_y") : BatchMatMulOf(g, x, !adj_x, dy, false, "grad_y");
  SetBatchGradients(g, x_grad, y_grad);
}

void ProductOfBatches(OpBuilder& op) {
  op.Attr("adj_x: bool = false")
      .Attr("adj_y: bool = false")
      .Attr("grad_x: bool = false")
      .Attr("grad_y: bool = false")
      .Gradient(&BatchMatMulGradient);
}

void ProductOfOneType(OpBuilder& op) {
  op.Input("x: T").Input("y: T").Output("output: T");
}

// The first dimension counts products, where each operand has it or is the same in all of them.
SampleRows BatchMatMulRows(const RowContext& c, int output) {
  std::vector<int> inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialShape& shape = c.input_shape(i);
    if (!shape.known_rank() || shape.rank() > c.output_shape(output).rank()) return SampleRows::Mixed();
    const bool is_shared = shape.rank() < c.output_shape(output).rank() || shape.dim(0) == 1;
    if (c.rows(i).is_none() && is_shared && shape.rank() >= 2) continue;
    if (shape.rank() < 3 || shape.rank() != c.output_shape(output).rank()) return SampleRows::Mixed();
    inputs.push_back(i);
  }
  return inputs.empty() ? SampleRows::Mixed() : RowsOfInputs(inputs)(c, output);
}

}  // namespace

OP("BatchMatMul")
    .As(&ProductOfOneType)
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .As(&ProductOfBatches)
    .Shape([](InferenceContext& c) { return BatchShape(c, false); })
    .Cost(ProductCost("adj_x"))
    .Total()
    .Rows(&BatchMatMulRows)
    .Doc("The products of the matrices in two batches of one shape; either side may be taken as its adjoint.");

OP("BatchMatMulV2")
    .As(&ProductOfOneType)
    .Attr(
        "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
        "complex128}")
    .As(&ProductOfBatches)
    .Shape([](InferenceContext& c) { return BatchShape(c, true); })
    .Cost(ProductCost("adj_x"))
    .Total()
    .Rows(&BatchMatMulRows)
    .Doc(
        "The products of the matrices in two batches, which broadcast against each other; either side may be taken as "
        "its adjoint.");

OP("BatchMatMulV3")
    .Input("x: Ta")
    .Input("y: Tb")
    .Output("output: Tout")
    .Attr("Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}")
    .Attr("Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}")
    .Attr("Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}")
    .As(&ProductOfBatches)
    .Shape([](InferenceContext& c) { return BatchShape(c, true); })
    .Cost(ProductCost("adj_x"))
    .Total()
    .Rows(&BatchMatMulRows)
    .Doc("BatchMatMulV2 whose operands may be of narrower types than the products.");

}  // namespace dfrun
