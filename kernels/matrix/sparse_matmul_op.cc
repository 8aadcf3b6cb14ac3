// Products of matrices of which one has many zeros: signatures, shapes, gradients.
#include "kernels/math/functions/gradients.h"
#include "kernels/matrix/gradients.h"
#include "kernels/matrix/matmul_shape.h"
#include "kernels/matrix/product_cost.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// A product and a sum for each value and column of the result.
OpCost SparseTensorDenseCost(const CostContext& c) {
  return WholeCost(c, 2 * c.input_elements(1) * c.output_dim(0, 1));
}

Status SparseTensorDenseShape(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 2).status());
  DF_TRY(c.WithRank(1, 1).status());
  DF_TRY(c.WithRank(2, 1).status());
  DF_ASSIGN(const bool adjoint_a, c.attr<bool>("adjoint_a"));
  DF_ASSIGN(const bool adjoint_b, c.attr<bool>("adjoint_b"));
  DF_ASSIGN(const PartialShape b, c.WithRank(3, 2));
  DF_ASSIGN(const PartialShape a, c.input_as_shape(2).Merge(PartialShape::UnknownOfRank(2)));
  const int64_t inner_a = a.dim(adjoint_a ? 0 : 1);
  const int64_t inner_b = b.dim(adjoint_b ? 1 : 0);
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    return InvalidArgument("cannot multiply a sparse matrix of shape ", a, " by ", b, ": the inner sizes ", inner_a,
                           " and ", inner_b, " differ");
  }
  c.set_output(0, PartialShape({a.dim(adjoint_a ? 1 : 0), b.dim(adjoint_b ? 0 : 1)}));
  return Status();
}

// The gradient by the values: for each the product of a row of `dy` and one of the dense matrix, in place of the whole
// product of the two.
Output ValuesGradient(GradientBuilder& g, bool adjoint_a, bool adjoint_b) {
  const AddedNode positions = g.Op("Unpack", {{"num", 2}, {"axis", 1}}, g.x(0));
  const Output rows = positions[adjoint_a ? 1 : 0];
  const Output inner = positions[adjoint_a ? 0 : 1];
  const Output b = adjoint_b ? Output(g.AddNode("Einsum", {g.x(3)}, {{"equation", "ij->ji"}})) : g.x(3);
  Output of_dy = g.Op("Gather", g.dy(0), rows);
  Output of_b = g.Op("Gather", b, inner);
  if (adjoint_a) of_dy = Conj(g, of_dy);
  if (adjoint_a == adjoint_b) of_b = Conj(g, of_b);
  return g.AddNode("Einsum", {of_dy, of_b}, {{"equation", "ij,ij->i"}});
}

void SparseTensorDenseGradient(GradientBuilder& g) {
  const bool adjoint_a = g.attr<bool>("adjoint_a");
  const bool adjoint_b = g.attr<bool>("adjoint_b");
  const Output b_grad = g.Op("SparseTensorDenseMatMul", {{"adjoint_a", !adjoint_a}}, g.x(0), g.x(1), g.x(2), g.dy(0));
  g.dx(1) = ValuesGradient(g, adjoint_a, adjoint_b);
  g.dx(3) = adjoint_b ? Adjoint(g, b_grad) : b_grad;
}

// One side of a product in a gradient.
struct Side {
  Output value;
  bool transposed;
  bool is_sparse;
};

// The gradient of input i.
void SetProduct(GradientBuilder& g, int i, const Side& a, const Side& b) {
  const Output product = g.Op("SparseMatMul",
                              {{"transpose_a", a.transposed},
                               {"transpose_b", b.transposed},
                               {"a_is_sparse", a.is_sparse},
                               {"b_is_sparse", b.is_sparse}},
                              a.value, b.value);
  const DType dtype = g.dtype(g.x(i));
  g.dx(i) = dtype == DType::kFloat ? product : Output(g.Op("Cast", {{"DstT", dtype}}, product));
}

void SparseMatMulGradient(GradientBuilder& g) {
  const bool ta = g.attr<bool>("transpose_a");
  const bool tb = g.attr<bool>("transpose_b");
  const bool sparse_a = g.attr<bool>("a_is_sparse");
  const bool sparse_b = g.attr<bool>("b_is_sparse");
  const Side dy{g.dy(0), false, false};
  const Side dy_transposed{g.dy(0), true, false};
  if (ta) {
    SetProduct(g, 0, {g.x(1), tb, sparse_b}, dy_transposed);
  } else {
    SetProduct(g, 0, dy, {g.x(1), !tb, sparse_b});
  }
  if (tb) {
    SetProduct(g, 1, dy_transposed, {g.x(0), ta, sparse_a});
  } else {
    SetProduct(g, 1, {g.x(0), !ta, sparse_a}, dy);
  }
}

}  // namespace

OP("SparseMatMul")
    .Input("a: Ta")
    .Input("b: Tb")
    .Output("product: float")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("a_is_sparse: bool = false")
    .Attr("b_is_sparse: bool = false")
    .Attr("Ta: {float, bfloat16} = DT_FLOAT")
    .Attr("Tb: {float, bfloat16} = DT_FLOAT")
    .Shape(&MatMulShape)
    .Gradient(&SparseMatMulGradient)
    .Cost(ProductCost("transpose_a"))
    .Doc(
        "The product of two matrices in float32, either of which may have many zeros, which says nothing of the "
        "result.");

OP("SparseTensorDenseMatMul")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b: T")
    .Output("product: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64} = DT_INT64")
    .Attr("adjoint_a: bool = false")
    .Attr("adjoint_b: bool = false")
    .Shape(&SparseTensorDenseShape)
    .Gradient(&SparseTensorDenseGradient)
    .Cost(&SparseTensorDenseCost)
    .Doc("The product of a sparse matrix, given by positions and values, and a dense one; either may be its adjoint.");

}  // namespace dfrun
