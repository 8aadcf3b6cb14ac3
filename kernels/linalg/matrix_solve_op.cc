// Systems of linear equations: signatures, shapes, gradients.
#include "kernels/linalg/gradients.h"
#include "kernels/linalg/matrix_cost.h"
#include "kernels/linalg/matrix_shapes.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// Input 0 is a batch of square matrices, input 1 of right-hand sides with as many rows.
Status SolveShape(InferenceContext& c, bool broadcasts) {
  DF_ASSIGN(const PartialMatrices matrix, PartialSquareMatricesOf(c, 0));
  DF_ASSIGN(const PartialMatrices rhs, PartialMatricesOf(c, 1));
  Result<int64_t> rows = MergeSizes(matrix.rows, rhs.rows);
  if (!rows.ok()) {
    return InvalidArgument("the matrices of shape ", c.input(0), " and the right-hand sides of shape ", c.input(1),
                           " differ in their rows");
  }
  DF_ASSIGN(const PartialShape batch,
            broadcasts ? BroadcastShapes(matrix.batch, rhs.batch) : matrix.batch.Merge(rhs.batch));
  c.set_output(0, PartialMatrices{batch, *rows, rhs.columns}.With({*rows, rhs.columns}));
  return Status();
}

// The gradient of the matrix, where `rhs_grad` is the gradient of the right-hand side.
Output MatrixGradient(GradientBuilder& g, Output rhs_grad, bool adjoint) {
  const Output y = g.y(0);
  return g.Op("Neg", adjoint ? MatrixProduct(g, y, rhs_grad, false, true) : MatrixProduct(g, rhs_grad, y, false, true));
}

void SolveGradient(GradientBuilder& g) {
  const bool adjoint = g.attr<bool>("adjoint");
  const Output rhs_grad = g.Op("MatrixSolve", {{"adjoint", !adjoint}}, g.x(0), g.dy(0));
  g.dx(0) = MatrixGradient(g, rhs_grad, adjoint);
  g.dx(1) = rhs_grad;
}

void TriangularSolveGradient(GradientBuilder& g) {
  const bool adjoint = g.attr<bool>("adjoint");
  const bool lower = g.attr<bool>("lower");
  const Output rhs_grad = g.Op("MatrixTriangularSolve", {{"lower", lower}, {"adjoint", !adjoint}}, g.x(0), g.dy(0));
  const Output matrix_grad = MatrixGradient(g, rhs_grad, adjoint);
  SetBatchGradients(g, lower ? LowerTriangle(g, matrix_grad) : UpperTriangle(g, matrix_grad), rhs_grad);
}

void Equations(OpBuilder& op) {
  op.Input("matrix: T").Input("rhs: T").Output("output: T");
}

}  // namespace

OP("MatrixSolve")
    .As(&Equations)
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape([](InferenceContext& c) { return SolveShape(c, /*broadcasts=*/false); })
    .Gradient(&SolveGradient)
    .Cost(OfSolution([](double n, double k) { return 2 * n * n * n / 3 + 2 * n * n * k; }))
    .Doc("The solution of each system of linear equations; an error where a matrix is not invertible.");

OP("MatrixTriangularSolve")
    .As(&Equations)
    .Attr("lower: bool = true")
    .Attr("adjoint: bool = false")
    .Attr("T: {bfloat16, double, float, half, complex64, complex128}")
    .Shape([](InferenceContext& c) { return SolveShape(c, /*broadcasts=*/true); })
    .Gradient(&TriangularSolveGradient)
    .Cost(OfSolution([](double n, double k) { return n * n * k; }))
    .Doc("The solution of systems of linear equations with a lower or upper triangular matrix; batches broadcast.");

}  // namespace dfrun
