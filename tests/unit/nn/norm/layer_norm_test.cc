// Layer normalisation of many rows: what its definition promises of each, and the same bits on any number of threads,
// which Run() compares.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/testing/node_runner.h"

namespace dfrun::testing {
namespace {

constexpr int64_t kRows = 700;
constexpr int64_t kColumns = 130;

Tensor Waves(const Shape& shape, double step) {
  Tensor values(DType::kFloat, shape);
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    values.data<float>()[i] = static_cast<float>(3 + std::sin(step * static_cast<double>(i)));
  }
  return values;
}

Tensor Filled(float value) {
  Tensor values(DType::kFloat, Shape({kColumns}));
  std::fill_n(values.data<float>(), kColumns, value);
  return values;
}

TEST(LayerNorm, RowsHaveMeanZeroAndVarianceOne) {
  NodeRunner runner;
  const auto y =
      runner.Run("LayerNorm", {{"epsilon", 0.0}}, {Waves(Shape({kRows, kColumns}), 0.7), Filled(1), Filled(0)});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  for (int64_t r = 0; r < kRows; ++r) {
    double sum = 0;
    double squares = 0;
    for (int64_t j = 0; j < kColumns; ++j) {
      const double v = (*y)[0].data<float>()[r * kColumns + j];
      sum += v;
      squares += v * v;
    }
    // Each element is off by an ulp of 3 before it is scaled.
    EXPECT_NEAR(sum / kColumns, 0, 1e-6);
    EXPECT_NEAR(squares / kColumns, 1, 1e-5);
  }
}

TEST(LayerNorm, GradientsAreSumsOverTheRows) {
  NodeRunner runner;
  const Tensor x = Waves(Shape({kRows, kColumns}), 0.7);
  const auto y = runner.Run("LayerNorm", {}, {x, Filled(1), Filled(0)});
  const Tensor dy = Waves(Shape({kRows, kColumns}), 1.3);
  const auto grads = runner.Run("LayerNormGrad", {}, {dy, x, Filled(2)});
  ASSERT_TRUE(y.ok() && grads.ok()) << y.status().ToString() << grads.status().ToString();
  for (int64_t j = 0; j < kColumns; ++j) {
    double scale = 0;
    double offset = 0;
    for (int64_t i = j; i < kRows * kColumns; i += kColumns) {
      scale += double{dy.data<float>()[i]} * double{(*y)[0].data<float>()[i]};
      offset += double{dy.data<float>()[i]};
    }
    // 700 products, each off by an ulp or two of 5.
    EXPECT_NEAR((*grads)[1].data<float>()[j], scale, 1e-3);
    EXPECT_NEAR((*grads)[2].data<float>()[j], offset, 1e-3);
  }
}

TEST(Gelu, LargeTensorsAreTheSameOnAnyNumberOfThreads) {
  NodeRunner runner;
  for (bool approximate : {false, true}) {
    const Tensor x = Waves(Shape({kRows, kColumns}), 0.7);
    const auto y = runner.Run("Gelu", {{"approximate", approximate}}, {x});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    for (int64_t i = 0; i < x.num_elements(); i += 97) {
      const double v = x.data<float>()[i];
      // The approximation is good to 3e-4.
      EXPECT_NEAR((*y)[0].data<float>()[i], v / 2 * std::erfc(-v / std::sqrt(2.0)), approximate ? 1e-3 : 1e-6);
    }
  }
}

}  // namespace
}  // namespace dfrun::testing
