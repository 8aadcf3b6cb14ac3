// Cholesky reads one triangle and its gradient is symmetric, as TensorFlow's: it is compared along symmetric
// directions.
#include <gtest/gtest.h>

#include "src/autodiff/gradients.h"
#include "tests/unit/autodiff/gradient_cases.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

const SelfAdjointInput cholesky("Cholesky");

constexpr int64_t kSize = 3;

// Returns a positive definite matrix with `step` added at (i, j) and (j, i).
Tensor Matrix(int64_t i, int64_t j, double step) {
  Tensor matrix = Shaped<double>(Shape({kSize, kSize}), {4, 1, 0.5, 1, 3, -1, 0.5, -1, 5});
  matrix.data<double>()[i * kSize + j] += step;
  if (i != j) matrix.data<double>()[j * kSize + i] += step;
  return matrix;
}

// sum(weights * Cholesky(x)) in a graph, and its gradient.
class CholeskyGradient : public ::testing::Test {
 protected:
  CholeskyGradient() {
    x_ = m_.Placeholder("x", {kSize, kSize});
    const Output weights = m_.Const("weights", U({kSize, kSize}));
    const Output product = m_.Add("product", "Mul", {m_.Add("l", "Cholesky", {x_}), weights});
    y_ = m_.Add("y", "Sum", {product, m_.Const("axes", Ints({0, 1}))});
  }
  Tensor Value(Output value, const Tensor& x) {
    Result<std::vector<Tensor>> values = GraphEvaluator({{"x", {x}}}).Fetch(m_.graph, {value});
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? (*values)[0] : Num(0);
  }

  GraphMaker m_;
  Output x_;
  Output y_;
};

TEST_F(CholeskyGradient, AgreesWithNumericDerivativesAlongSymmetricDirections) {
  const std::vector<Output> ys = {y_};
  const std::vector<Output> xs = {x_};
  const Result<std::vector<GradientValue>> gradients = AddGradients(m_.graph, ys, xs, {});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  const Tensor gradient = Value((*gradients)[0].dense, Matrix(0, 0, 0));
  constexpr double kStep = 1e-4;
  for (int64_t i = 0; i < kSize; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const double above = Value(y_, Matrix(i, j, kStep)).scalar<double>();
      const double below = Value(y_, Matrix(i, j, -kStep)).scalar<double>();
      const double* g = gradient.data<double>();
      const double along = i == j ? g[i * kSize + j] : g[i * kSize + j] + g[j * kSize + i];
      // The third derivative is below 10: kStep^2 of it is what the difference leaves out.
      EXPECT_NEAR(along, (above - below) / (2 * kStep), 1e-7) << i << ", " << j;
      EXPECT_NEAR(g[i * kSize + j], g[j * kSize + i], 1e-14) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace dfrun::testing
