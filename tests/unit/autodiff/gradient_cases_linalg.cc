#include <cmath>
#include <complex>

#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

AttrMap Equation(const char* equation) {
  return {{"equation", equation}};
}

std::vector<GradientCase> EinsumCases() {
  std::vector<GradientCase> cases = {
      {"Einsum", {U({2, 3})}, Equation("ij->ji")},
      {"Einsum", {U({2, 3, 2})}, Equation("abc->ac")},
      {"Einsum", {U({2, 3, 2})}, Equation("abc->ca")},
      {"Einsum", {U({2, 2, 3})}, Equation("aab->b")},
      {"Einsum", {U({2, 2, 3, 2})}, Equation("aabc->ca")},
      {"Einsum", {U({2, 3})}, Equation("ij->jii")},
      {"Einsum", {U({2, 3, 2})}, Equation("i...->...")},
      {"Einsum", {U({2, 3, 4})}, Equation("...ij->...ji")},
      {"Einsum", {U({2, 3}), V({3, 4})}, Equation("ij,jk->ik")},
      {"Einsum", {U({2, 3}), V({3, 4})}, Equation("ij,jk->ki")},
      {"Einsum", {U({2, 3, 2}), V({3, 4})}, Equation("ijk,jl->l")},
      {"Einsum", {U({2, 3}), V({2, 3})}, Equation("ij,ij->ij")},
      {"Einsum", {U({2}), V({3})}, Equation("i,j->")},
      {"Einsum", {U({2, 2, 3}), V({3, 2})}, Equation("aab,bc->ac")},
      {"Einsum", {U({2, 3, 2}), V({2, 2, 4})}, Equation("bij,bjk->bik")},
      {"Einsum", {U({2, 1, 2, 3}), V({3, 3, 2})}, Equation("...ij,...jk->...ik")},
      {"Einsum", {U({2, 2, 3}), V({3, 2})}, Equation("...ij,jk->...ik")},
      {"Einsum", {U({2, 3}), V({3, 2})}, Equation("...ij,jk->...ik")},
      {"Einsum", {U({2, 3}), V({2, 1})}, Equation("i...,j...->i...j")},
      {"Einsum", {U({2, 1}), V({3})}, Equation("...,...->...")},
  };
  for (GradientCase& c : cases) c.attrs.Set("N", static_cast<int64_t>(c.inputs.size()));
  return cases;
}

// Returns well-conditioned matrices, which have a large diagonal.
Tensor Dominant(const Shape& shape) {
  Tensor matrices = U(shape);
  const int64_t n = shape[shape.rank() - 1];
  for (int64_t i = 0; i < matrices.num_elements(); i += n * n) {
    for (int64_t k = 0; k < n; ++k) matrices.data<double>()[i + k * (n + 1)] += 3 + static_cast<double>(k);
  }
  return matrices;
}

// Returns a matrix whose singular values are well apart, whatever its shape.
Tensor Skewed(const Shape& shape) {
  Tensor matrix = U(shape, -0.5, 0.5);
  const int64_t columns = shape[shape.rank() - 1];
  const int64_t elements = columns * shape[shape.rank() - 2];
  for (int64_t i = 0; i < matrix.num_elements(); i += elements) {
    for (int64_t k = 0; k * (columns + 1) < elements; ++k) {
      matrix.data<double>()[i + k * (columns + 1)] += 2 * static_cast<double>(k + 1);
    }
  }
  return matrix;
}

std::vector<GradientCase> SingularCases() {
  return {
      {"MatrixCofactors", {Dominant({3, 3})}},
      {"MatrixCofactors", {Dominant({2, 2, 2})}},
      {"MatrixDeterminant", {Shaped<double>(Shape({2, 2}), {1, 2, 2, 4})}},
      {"MatrixDeterminant", {Shaped<double>(Shape({3, 3}), {0, 0, 0, 0, 2, 1, 0, 0, 3})}},
      {"MatrixDeterminant", {Shaped<double>(Shape({2, 2, 2}), {0, 0, 0, 0, 1, 0, 0, 1})}},
  };
}

std::vector<GradientCase> InverseCases() {
  const AttrMap adjoint = {{"adjoint", true}};
  return {
      {"MatrixInverse", {Dominant({3, 3})}},
      {"MatrixInverse", {Dominant({2, 2, 2})}, adjoint},
      {"MatrixDeterminant", {Dominant({3, 3})}},
      {"MatrixDeterminant", {U({2, 2, 2})}},
      {"LogMatrixDeterminant", {Dominant({2, 3, 3})}},
      {"MatrixSolve", {Dominant({3, 3}), V({3, 2})}},
      {"MatrixSolve", {Dominant({2, 2, 2}), V({2, 2, 1})}, adjoint},
      {"MatrixTriangularSolve", {Dominant({3, 3}), V({3, 2})}},
      {"MatrixTriangularSolve", {Dominant({3, 3}), V({3, 2})}, {{"lower", false}}},
      {"MatrixTriangularSolve", {Dominant({2, 2, 2}), V({2, 1})}, adjoint},
      {"MatrixTriangularSolve", {Dominant({2, 2}), V({2, 2, 1})}, {{"lower", false}, {"adjoint", true}}},
  };
}

std::vector<GradientCase> DecompositionCases() {
  const AttrMap full = {{"full_matrices", true}};
  const auto needs_shapes = [](GradientCase c) {
    c.needs_shapes = true;
    return c;
  };
  return {
      {"SelfAdjointEigV2", {Dominant({3, 3})}},
      {"SelfAdjointEigV2", {Dominant({2, 2, 2})}, {{"compute_v", false}}, {}, {1}},
      needs_shapes({"Qr", {Skewed({3, 3})}}),
      needs_shapes({"Qr", {Skewed({4, 2})}}),
      needs_shapes({"Qr", {Skewed({2, 2, 4})}, full}),
      needs_shapes({"Svd", {Skewed({3, 3})}}),
      needs_shapes({"Svd", {Skewed({4, 2})}}),
      needs_shapes({"Svd", {Skewed({2, 2, 4})}}),
      needs_shapes({"Svd", {Skewed({3, 2})}, full}),
      {"Svd", {Skewed({3, 2})}, {{"compute_uv", false}}, {}, {1, 2}},
  };
}

Tensor WithImaginary(const Tensor& real) {
  Tensor matrix(DType::kComplex128, real.shape());
  for (int64_t i = 0; i < real.num_elements(); ++i) {
    matrix.data<std::complex<double>>()[i] = {real.data<double>()[i], 0.3 * std::sin(1 + 2.3 * static_cast<double>(i))};
  }
  return matrix;
}

std::vector<GradientCase> ComplexQrCases() {
  std::vector<GradientCase> cases;
  for (const Shape& shape : {Shape({3, 3}), Shape({4, 2}), Shape({2, 2, 4})}) {
    cases.push_back({"Qr", {WithImaginary(Skewed(shape))}});
    cases.back().needs_shapes = true;
  }
  return cases;
}

std::vector<GradientCase> SparseCases() {
  const Tensor positions = Shaped<int64_t>(Shape({4, 2}), {0, 1, 2, 0, 0, 2, 2, 1});
  const Tensor sizes = Tensor::Vector<int64_t>({3, 3});
  std::vector<GradientCase> cases;
  for (bool adjoint_a : {false, true}) {
    for (bool adjoint_b : {false, true}) {
      const AttrMap attrs = {{"adjoint_a", adjoint_a}, {"adjoint_b", adjoint_b}};
      cases.push_back(
          {"SparseTensorDenseMatMul", {positions, U({4}), sizes, V(adjoint_b ? Shape({2, 3}) : Shape({3, 2}))}, attrs});
    }
  }
  return cases;
}

const GradientCases einsum(EinsumCases);
const GradientCases inverses(InverseCases);
const GradientCases singular(SingularCases);
const GradientCases decompositions(DecompositionCases);
const GradientCases sparse(SparseCases);
const GradientCases complex_qr(ComplexQrCases);
const LinesAlone qr("Qr", "where a matrix has no full rank q is none of its functions");
constexpr const char* kAnyPhase = "vectors are given up to a phase, which the gradient takes to be of no account";
const UncheckedGradient eigenvectors("SelfAdjointEigV2", kAnyPhase, "v", UncheckedGradient::Of::kComplex);
const UncheckedGradient left("Svd", kAnyPhase, "u", UncheckedGradient::Of::kComplex);
const UncheckedGradient right("Svd", kAnyPhase, "v", UncheckedGradient::Of::kComplex);

}  // namespace
}  // namespace dfrun::testing
