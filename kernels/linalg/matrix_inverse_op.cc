// The inverse, the determinant and the cofactors of square matrices: signatures, shapes, gradients.
#include "kernels/linalg/gradients.h"
#include "kernels/linalg/matrix_cost.h"
#include "kernels/linalg/matrix_shapes.h"
#include "kernels/math/functions/gradients.h"
#include "src/framework/op/op.h"

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

// The gradient of the cofactors det(a) (a^-1)^T, where k is a^-H: conj(det(a)) (<dy, k> k - k dy^T k). A matrix without
// inverse has no such form.
void CofactorsGradient(GradientBuilder& g) {
  const Output k = AdjointInverse(g, g.x(0));
  const Output dy = g.dy(0);
  const Output along = g.Op("Sum", g.Op("Mul", dy, k), g.Const<int32_t>({-2, -1}));
  const Output product = MatrixProduct(g, MatrixProduct(g, k, Conj(g, dy), false, true), k);
  const Output difference = g.Op("Sub", ScaledMatrices(g, along, k), product);
  g.dx(0) = ScaledMatrices(g, Conj(g, g.Op("MatrixDeterminant", g.x(0))), difference);
}

// The gradient of the logarithm of |det(a)| and of the sign s. With k = a^-H, the logarithm changes by the real part of
// <k, da>, and s, where it is complex, by i s times the imaginary part.
void LogDeterminantGradient(GradientBuilder& g) {
  Output by_k = RealOf(g, g.dy(1));
  if (g.has_dy(0) && IsComplex(g.dtype(g.x(0)))) {  // the sign of a real determinant is constant
    const Output turn = g.Op("Mul", g.dy(0), Conj(g, g.y(0)));
    by_k = g.Op("AddV2", by_k, g.Op("Sub", turn, RealOf(g, turn)));
  }
  g.dx(0) = ScaledMatrices(g, by_k, AdjointInverse(g, g.x(0)));
}

// The cofactors of matrices that have an inverse.
LoweredNode LowerCofactors(NodeBuilder& b) {
  const Output last = b.Const(Tensor::Scalar<int32_t>(-1));
  const Output determinant = b.Op("ExpandDims", b.Op("ExpandDims", b.Op("MatrixDeterminant", b.x(0)), last), last);
  Output inverse = b.Op("MatrixInverse", {{"adjoint", true}}, b.x(0));
  if (IsComplex(b.dtype(b.x(0)))) inverse = b.Op("Conj", inverse);
  return {"Mul", {determinant, inverse}};
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
      g.dx(0) = ScaledMatrices(g, g.dy(0), Conj(g, g.Op("MatrixCofactors", g.x(0))));
    })
    .Cost(OfSquares([](double n) { return 2 * n * n * n / 3; }))
    .Doc("The determinant of each matrix.");

OP("MatrixCofactors")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .Shape(&SquareMatrixShape)
    .Gradient(&CofactorsGradient)
    .OwnLoweredBy(&LowerCofactors)
    .Cost(OfSquares([](double n) { return 8 * n * n * n / 3; }))
    .Doc(
        "The derivatives of the determinant of each matrix by its elements, also where it has no inverse (dfrun's "
        "own).");

OP("LogMatrixDeterminant")
    .Input("input: T")
    .Output("sign: T")
    .Output("log_abs_determinant: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .Shape(&NumberPerSquareMatrixShape)
    .Gradient(&LogDeterminantGradient)
    .Cost(OfSquares([](double n) { return 2 * n * n * n / 3; }))
    .Doc("The determinant of each matrix as its sign (or phase) and the logarithm of its magnitude.");

}  // namespace dfrun
