// The singular value decomposition: signature, shape, gradient.
#include <cstdlib>
#include <utility>

#include "kernels/linalg/gradients.h"
#include "kernels/linalg/matrix_cost.h"
#include "kernels/linalg/matrix_shapes.h"
#include "kernels/math/functions/gradients.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The cost of bidiagonalisation and implicit QR steps.
OpCost SvdCost(const CostContext& c) {
  if (!c.attr<bool>("compute_uv", true)) {
    return OfMatrices(c, [](double p, double k) { return 4 * p * k * k - 4 * k * k * k / 3; });
  }
  return OfMatrices(c, [](double p, double k) { return 4 * p * p * k + 8 * p * k * k + 9 * k * k * k; });
}

Status SvdShape(InferenceContext& c) {
  DF_ASSIGN(const PartialMatrices a, PartialMatricesOf(c, 0));
  DF_ASSIGN(const bool vectors, c.attr<bool>("compute_uv"));
  DF_ASSIGN(const bool full, c.attr<bool>("full_matrices"));
  const int64_t smaller = SmallerSize(a.rows, a.columns);
  c.set_output(0, a.With({smaller}));
  c.set_output(1, vectors ? a.With({a.rows, full ? a.rows : smaller}) : PartialShape({0}));
  c.set_output(2, vectors ? a.With({a.columns, full ? a.columns : smaller}) : PartialShape({0}));
  return Status();
}

// The factors of a = u diag(s) v^H with at most as many rows as columns, and their gradients.
struct Factors {
  Output s, u, v;
  Output ds, du, dv;
  int64_t rows;
  int64_t columns;
  bool full;
};

// The term of the columns of v beyond the rows of a: u s^-1 times this is added.
Output BeyondRows(GradientBuilder& g, const Factors& f, Output v1, Output dv1) {
  const Output dv1_adjoint = Adjoint(g, dv1);
  const Output along = MatrixProduct(g, MatrixProduct(g, dv1_adjoint, v1), v1, false, true);
  const Output across = g.Op("Sub", dv1_adjoint, along);
  if (!f.full) return across;
  const Output v2 = Columns(g, f.v, f.rows, f.columns);
  const Output dv2 = Columns(g, f.dv, f.rows, f.columns);
  return g.Op("Sub", across, MatrixProduct(g, MatrixProduct(g, v1, dv2, true, false), v2, false, true));
}

Output WideGradient(GradientBuilder& g, const Factors& f) {
  const Output s_matrix = g.Op("MatrixDiag", f.s);
  const Output inverse_s = g.Op("MatrixDiag", SafeReciprocal(g, f.s));
  const Output differences = ReciprocalDifferences(g, g.Op("Square", f.s));
  const Output v1 = Columns(g, f.v, 0, f.rows);
  const Output dv1 = Columns(g, f.dv, 0, f.rows);
  const Output v_dv = MatrixProduct(g, v1, dv1, true, false);
  const Output turn_u = g.Op("Mul", differences, MatrixProduct(g, f.u, f.du, true, false));
  const Output turn_v = g.Op("Mul", differences, v_dv);
  const auto symmetric = [&](Output x) { return g.Op("AddV2", x, Adjoint(g, x)); };
  Output middle = g.Op("AddV2", g.Op("MatrixDiag", f.ds), MatrixProduct(g, symmetric(turn_u), s_matrix));
  middle = g.Op("AddV2", middle, MatrixProduct(g, s_matrix, symmetric(turn_v)));
  if (IsComplex(g.dtype(f.u))) {
    const Output diagonal = g.Op("MatrixDiagPart", v_dv);
    const Output phases = g.Op("MatrixDiag", g.Op("Sub", Conj(g, diagonal), diagonal));
    middle = g.Op("AddV2", middle, Scaled(g, MatrixProduct(g, inverse_s, phases), 0.5));
  }
  const Output grad = MatrixProduct(g, f.u, MatrixProduct(g, middle, v1, false, true));
  if (f.rows == f.columns) return grad;
  return g.Op("AddV2", grad, MatrixProduct(g, MatrixProduct(g, f.u, inverse_s), BeyondRows(g, f, v1, dv1)));
}

// The gradient where the vectors are not asked for: u diag(ds) v^H with vectors computed for it.
void ValuesGradient(GradientBuilder& g) {
  const AddedNode svd = g.Op("Svd", {{"compute_uv", true}}, g.x(0));
  g.dx(0) = MatrixProduct(g, svd[1], MatrixProduct(g, g.Op("MatrixDiag", RealOf(g, g.dy(0))), svd[2], false, true));
}

void SvdGradient(GradientBuilder& g) {
  if (!g.attr<bool>("compute_uv")) return ValuesGradient(g);
  const PartialShape shape = g.shape(g.x(0));
  Factors f{g.y(0), g.y(1), g.y(2), RealOf(g, g.dy(0)), g.dy(1), g.dy(2), -1, -1, g.attr<bool>("full_matrices")};
  if (shape.known_rank()) {
    f.rows = shape.dim(shape.rank() - 2);
    f.columns = shape.dim(shape.rank() - 1);
  }
  if (f.rows < 0 || f.columns < 0) return g.Fail(Unimplemented("the gradient of Svd needs a matrix of known shape"));
  if (f.full && std::abs(f.rows - f.columns) > 1) {
    return g.Fail(Unimplemented("Svd has no gradient for full matrices of an input of shape ", shape,
                                ": rows and columns may differ by one"));
  }
  if (f.rows <= f.columns) {
    g.dx(0) = WideGradient(g, f);
    return;
  }
  std::swap(f.u, f.v);
  std::swap(f.du, f.dv);
  std::swap(f.rows, f.columns);
  g.dx(0) = Adjoint(g, WideGradient(g, f));
}

}  // namespace

OP("Svd")
    .Input("input: T")
    .Output("s: T")
    .Output("u: T")
    .Output("v: T")
    .Attr("compute_uv: bool = true")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(&SvdShape)
    .Gradient(&SvdGradient)
    .Cost(&SvdCost)
    .Doc("The singular values of each matrix, falling, and its left and right singular vectors.");

}  // namespace dfrun
