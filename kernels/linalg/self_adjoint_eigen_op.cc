// Eigenvalues of self-adjoint matrices: signature, shape, gradient.
#include "kernels/linalg/gradients.h"
#include "kernels/linalg/matrix_cost.h"
#include "kernels/linalg/matrix_shapes.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The cost of tridiagonalisation and implicit QR steps.
OpCost SelfAdjointEigenCost(const CostContext& c) {
  if (!c.attr<bool>("compute_v", true)) {
    return OfMatrices(c, [](double n, double) { return 4 * n * n * n / 3; });
  }
  return OfMatrices(c, [](double n, double) { return 9 * n * n * n; });
}

Status EigenShape(InferenceContext& c) {
  DF_ASSIGN(const PartialMatrices a, PartialSquareMatricesOf(c, 0));
  DF_ASSIGN(const bool vectors, c.attr<bool>("compute_v"));
  c.set_output(0, a.With({a.rows}));
  c.set_output(1, vectors ? a.With({a.rows, a.rows}) : PartialShape({0}));
  return Status();
}

void EigenGradient(GradientBuilder& g) {
  const bool vectors = g.attr<bool>("compute_v");
  const Output v = vectors ? g.y(1) : g.Op("SelfAdjointEigV2", {{"compute_v", true}}, g.x(0))[1];
  Output middle = g.Op("MatrixDiag", g.dy(0));
  if (vectors) {
    const Output turn = g.Op("Mul", ReciprocalDifferences(g, g.y(0)), MatrixProduct(g, v, g.dy(1), true, false));
    middle = g.Op("AddV2", middle, turn);
  }
  const Output grad = MatrixProduct(g, v, MatrixProduct(g, middle, v, false, true));
  // The lower triangle alone is read.
  g.dx(0) = HalvedDiagonal(g, LowerTriangle(g, g.Op("AddV2", grad, Adjoint(g, grad))));
}

}  // namespace

OP("SelfAdjointEigV2")
    .Input("input: T")
    .Output("e: T")
    .Output("v: T")
    .Attr("compute_v: bool = true")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(&EigenShape)
    .Gradient(&EigenGradient)
    .Cost(&SelfAdjointEigenCost)
    .Doc(
        "The eigenvalues of each self-adjoint matrix, rising, and its eigenvectors as columns. Reads the lower "
        "triangle.");

}  // namespace dfrun
