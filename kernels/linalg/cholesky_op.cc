// The Cholesky factor and its gradient: signatures, shapes, gradients.
#include "kernels/linalg/gradients.h"
#include "kernels/linalg/matrix_cost.h"
#include "kernels/linalg/matrix_shapes.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The gradient is the self-adjoint part of l^-H P l^-1, where P is the lower triangle of l^H dl with its diagonal
// halved.
void CholeskyGradient(GradientBuilder& g) {
  const Output l = g.y(0);
  const Output middle = HalvedDiagonal(g, LowerTriangle(g, MatrixProduct(g, l, g.dy(0), true, false)));
  const auto solve_adjoint = [&](Output rhs) {
    return g.Op("MatrixTriangularSolve", {{"lower", true}, {"adjoint", true}}, l, rhs);
  };
  const Output grad = solve_adjoint(Adjoint(g, solve_adjoint(middle)));
  g.dx(0) = Scaled(g, g.Op("AddV2", grad, Adjoint(g, grad)), 0.5);
}

}  // namespace

OP("Cholesky")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(&SquareMatrixShape)
    .Gradient(&CholeskyGradient)
    .Cost(OfSquares([](double n) { return n * n * n / 3; }))
    .Doc(
        "The lower triangular l of each self-adjoint, positive definite matrix with l l^H equal to it; NaN where it is "
        "not positive definite. Reads the lower triangle.");

OP("CholeskyGrad")
    .Input("l: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Shape(&SquareMatrixShape)
    .Cost(OfSquares([](double n) { return 2 * n * n * n; }))
    .Doc("The gradient of Cholesky's input, symmetric, by its output and the gradient of that.");

}  // namespace dfrun
