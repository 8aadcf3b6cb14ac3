// The inverse and the determinant of square matrices: signatures, shapes, gradients.
#include "kernels/linalg/gradients.h"
#include "kernels/linalg/matrix_cost.h"
#include "kernels/linalg/matrix_shapes.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

Output AdjointInverse(GradientBuilder& g, Output matrices) {
  return g.Op("MatrixInverse", {{"adjoint", true}}, matrices);
}

void InverseGradient(GradientBuilder& g) {
  const bool adjoint = g.attr<bool>("adjoint");
  const Output y = g.y(0);
  const Output right = MatrixProduct(g, g.dy(0), y, adjoint, !adjoint);
  g.dx(0) = g.Op("Neg", MatrixProduct(g, y, right, !adjoint, false));
}

}  // namespace

OP("MatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(&SquareMatrixShape)
    .Gradient(&InverseGradient)
    .Cost(OfSquares([](double n) { return 2 * n * n * n; }))
    .Doc("The inverse of each matrix, or of its adjoint; an error where one has none.");

OP("MatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .Shape(&NumberPerSquareMatrixShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = ScaledMatrices(g, g.Op("Mul", g.dy(0), g.y(0)), AdjointInverse(g, g.x(0)));
    })
    .Cost(OfSquares([](double n) { return 2 * n * n * n / 3; }))
    .Doc("The determinant of each matrix.");

OP("LogMatrixDeterminant")
    .Input("input: T")
    .Output("sign: T")
    .Output("log_abs_determinant: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .Shape(&NumberPerSquareMatrixShape)
    .Gradient([](GradientBuilder& g) { g.dx(0) = ScaledMatrices(g, g.dy(1), AdjointInverse(g, g.x(0))); })
    .Cost(OfSquares([](double n) { return 2 * n * n * n / 3; }))
    .Doc("The determinant of each matrix as its sign (or phase) and the logarithm of its magnitude.");

}  // namespace dfrun
