// The QR decomposition: signature, shape, gradient.
#include "kernels/linalg/gradients.h"
#include "kernels/linalg/matrix_cost.h"
#include "kernels/linalg/matrix_shapes.h"
#include "kernels/math/functions/gradients.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The cost of reflections, which are then multiplied out.
OpCost QrCost(const CostContext& c) {
  return OfMatrices(c, [](double p, double k) { return 4 * p * k * k - 4 * k * k * k / 3; });
}

Status QrShape(InferenceContext& c) {
  DF_ASSIGN(const PartialMatrices a, PartialMatricesOf(c, 0));
  DF_ASSIGN(const bool full, c.attr<bool>("full_matrices"));
  const int64_t inner = full ? a.rows : SmallerSize(a.rows, a.columns);
  c.set_output(0, a.With({a.rows, inner}));
  c.set_output(1, a.With({inner, a.columns}));
  return Status();
}

// x r^-H for an upper triangular r.
Output TimesInverseAdjoint(GradientBuilder& g, Output x, Output r) {
  return Adjoint(g, g.Op("MatrixTriangularSolve", {{"lower", false}}, r, Adjoint(g, x)));
}

// The term to add where the diagonal of r dr^H - (q^H dq)^H has imaginary parts.
Output PhaseCorrection(GradientBuilder& g, Output q, Output r, Output r_dr, Output q_dq) {
  const Output diagonal = g.Op("MatrixDiagPart", Output(g.Op("Sub", r_dr, Adjoint(g, q_dq))));
  const Output phases = g.Op("MatrixDiag", Scaled(g, g.Op("Sub", diagonal, Conj(g, diagonal)), 0.5));
  return TimesInverseAdjoint(g, MatrixProduct(g, q, phases, false, true), r);
}

// The gradient of a matrix with at least as many rows as columns; q is as narrow as the matrix.
Output TallGradient(GradientBuilder& g, Output q, Output r, Output dq, Output dr) {
  const Output q_dq = MatrixProduct(g, q, dq, true, false);
  const Output r_dr = MatrixProduct(g, r, dr, false, true);
  const Output skew_q = g.Op("Sub", q_dq, Adjoint(g, q_dq));
  const Output skew_r = g.Op("Sub", r_dr, Adjoint(g, r_dr));
  const Output lower = LowerTriangle(g, g.Op("AddV2", skew_q, skew_r));
  const Output along = MatrixProduct(g, q, g.Op("AddV2", dr, TimesInverseAdjoint(g, lower, r)));
  const Output across = TimesInverseAdjoint(g, g.Op("Sub", dq, MatrixProduct(g, q, q_dq)), r);
  const Output grad = g.Op("AddV2", along, across);
  if (!IsComplex(g.dtype(q))) return grad;
  return g.Op("AddV2", grad, PhaseCorrection(g, q, r, r_dr, q_dq));
}

void QrGradient(GradientBuilder& g) {
  const Output q = g.y(0);
  const Output r = g.y(1);
  const PartialShape a_shape = g.shape(g.x(0));
  const int64_t rows = a_shape.known_rank() ? a_shape.dim(a_shape.rank() - 2) : PartialShape::kUnknown;
  const int64_t columns = a_shape.known_rank() ? a_shape.dim(a_shape.rank() - 1) : PartialShape::kUnknown;
  if (rows < 0 || columns < 0) return g.Fail(Unimplemented("the gradient of Qr needs a matrix of known shape"));
  if (rows > columns && g.attr<bool>("full_matrices")) {
    return g.Fail(
        Unimplemented("Qr has no gradient for full matrices of more rows than columns: its input is ", a_shape));
  }
  if (rows >= columns) {
    g.dx(0) = TallGradient(g, q, r, g.dy(0), g.dy(1));
    return;
  }
  // a = [x, y] with a square x, and r = [u, v]: x = q u, y = q v.
  const Output y = Columns(g, g.x(0), rows, columns);
  const Output dv = Columns(g, g.dy(1), rows, columns);
  const Output dq = g.Op("AddV2", g.dy(0), MatrixProduct(g, y, dv, false, true));
  const Output dx = TallGradient(g, q, Columns(g, r, 0, rows), dq, Columns(g, g.dy(1), 0, rows));
  g.dx(0) = g.Op("ConcatV2", dx, MatrixProduct(g, q, dv), g.Const(Tensor::Scalar<int32_t>(-1)));
}

}  // namespace

OP("Qr")
    .Input("input: T")
    .Output("q: T")
    .Output("r: T")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(&QrShape)
    .Gradient(&QrGradient)
    .Cost(&QrCost)
    .Doc("Each matrix as a product of one with orthonormal columns and an upper triangular one.");

}  // namespace dfrun
