// BatchMatMul: a product for every matrix of a batch; V2 broadcasts the batches against each other.
#include "kernels/math/gradients.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

Status BatchShape(InferenceContext& c, bool broadcasts) {
  DF_ASSIGN(const PartialShape x, c.WithRankAtLeast(0, 2));
  DF_ASSIGN(const PartialShape y, c.WithRankAtLeast(1, 2));
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

Output Product(GradientBuilder& g, Output a, bool adj_a, Output b, bool adj_b) {
  return g.Op("BatchMatMulV2", {{"adj_x", adj_a}, {"adj_y", adj_b}}, a, b);
}

// The sizes but for those of the matrices; the rank is known.
PartialShape BatchDims(const PartialShape& shape) {
  return PartialShape(std::vector<int64_t>(shape.dims().begin(), shape.dims().end() - 2));
}

// The same when the step knows.
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

void BatchMatMulGradient(GradientBuilder& g) {
  const bool adj_x = g.attr<bool>("adj_x");
  const bool adj_y = g.attr<bool>("adj_y");
  const Output x = g.x(0);
  const Output y = g.x(1);
  const Output dy = g.dy(0);
  const Output x_grad = adj_x ? Product(g, y, adj_y, dy, true) : Product(g, dy, false, y, !adj_y);
  const Output y_grad = adj_y ? Product(g, dy, true, x, adj_x) : Product(g, x, !adj_x, dy, false);
  g.dx(0) = SumRepeated(g, 0, x_grad);
  g.dx(1) = SumRepeated(g, 1, y_grad);
}

}  // namespace

OP("BatchMatMul")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("grad_x: bool = false")
    .Attr("grad_y: bool = false")
    .Shape([](InferenceContext& c) { return BatchShape(c, false); })
    .Gradient(&BatchMatMulGradient)
    .Doc("The products of the matrices in two batches of one shape; either side may be taken as its adjoint.");

OP("BatchMatMulV2")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr(
        "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
        "complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("grad_x: bool = false")
    .Attr("grad_y: bool = false")
    .Shape([](InferenceContext& c) { return BatchShape(c, true); })
    .Gradient(&BatchMatMulGradient)
    .Doc(
        "The products of the matrices in two batches, which broadcast against each other; either side may be taken as "
        "its adjoint.");

}  // namespace dfrun
