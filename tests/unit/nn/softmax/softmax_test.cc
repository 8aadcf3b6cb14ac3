#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::ExpectNear;
using testing::Make;
using testing::NodeRunner;

template <class T>
Tensor Matrix(int64_t rows, const std::vector<double>& values) {
  Tensor tensor(DTypeOf<T>, Shape({rows, static_cast<int64_t>(values.size()) / rows}));
  for (size_t i = 0; i < values.size(); ++i) tensor.data<T>()[i] = static_cast<T>(values[i]);
  return tensor;
}

// Expected values are TensorFlow 2.21's in float64.
const std::vector<double> kLogits = {1, 2, 3, -1, 0, 0, 0, 0, 1024, -1024, 1016, 0};
const std::vector<double> kSoftmax = {0.088946817297404,
                                      0.2417825171588,
                                      0.65723302283186,
                                      0.012037642711939,
                                      0.25,
                                      0.25,
                                      0.25,
                                      0.25,
                                      0.99966464986953,
                                      0,
                                      0.00033535013046648,
                                      0};

template <class T>
class Softmax : public ::testing::Test {
 protected:
  static constexpr double kEps = sizeof(T) == 8 ? 500 : 6;  // a few roundings; the expected values have 14 digits
  NodeRunner runner_;
};
using FloatTypes = ::testing::Types<double, float, float16, bfloat16>;
TYPED_TEST_SUITE(Softmax, FloatTypes);

TYPED_TEST(Softmax, AsTensorFlow) {
  auto y = this->runner_.Run("Softmax", {}, {Matrix<TypeParam>(3, kLogits)});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  ExpectNear<TypeParam>((*y)[0], kSoftmax, this->kEps);
  auto log = this->runner_.Run("LogSoftmax", {}, {Matrix<TypeParam>(3, kLogits)});
  ASSERT_TRUE(log.ok()) << log.status().ToString();
  ExpectNear<TypeParam>((*log)[0],
                        {-2.4197166463153, -1.4197166463153, -0.41971664631534, -4.4197166463153, -1.3862943611199,
                         -1.3862943611199, -1.3862943611199, -1.3862943611199, -0.00033540637289567,
                         -2048.0003354063729, -8.0003354063729, -1024.0003354063729},
                        this->kEps);
}

TYPED_TEST(Softmax, CrossEntropyAsTensorFlow) {
  const Tensor labels = Matrix<TypeParam>(3, {.1, .2, .3, .4, 0, 1, 0, 0, .5, 0, .5, 0});
  auto y = this->runner_.Run("SoftmaxCrossEntropyWithLogits", {}, {Matrix<TypeParam>(3, kLogits), labels});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  ExpectNear<TypeParam>((*y)[0], {2.4197166463153, 1.3862943611199, 4.0003354063729}, this->kEps);
  ExpectNear<TypeParam>((*y)[1],
                        {-0.011053182702596, 0.041782517158801, 0.35723302283186, -0.38796235728806, 0.25, -0.75, 0.25,
                         0.25, 0.49966464986953, 0, -0.49966464986953, 0},
                        this->kEps);
}

TYPED_TEST(Softmax, CrossEntropyRepeatsARow) {
  const Tensor labels = Matrix<TypeParam>(3, {.1, .2, .3, .4, 0, 1, 0, 0, .5, 0, .5, 0});
  auto y = this->runner_.Run("SoftmaxCrossEntropyWithLogits", {}, {Matrix<TypeParam>(1, {1, 2, 3, -1}), labels});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  ExpectNear<TypeParam>((*y)[0], {2.4197166463153, 1.4197166463153, 1.4197166463153}, this->kEps);
}

TYPED_TEST(Softmax, SparseCrossEntropyAsTensorFlow) {
  for (const Tensor& labels : {Tensor::Vector<int32_t>({2, 0, 0}), Tensor::Vector<int64_t>({2, 0, 0})}) {
    auto y = this->runner_.Run("SparseSoftmaxCrossEntropyWithLogits", {}, {Matrix<TypeParam>(3, kLogits), labels});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    ExpectNear<TypeParam>((*y)[0], {0.41971664631534, 1.3862943611199, 0.00033540637289567}, this->kEps);
    ExpectNear<TypeParam>((*y)[1],
                          {0.088946817297404, 0.2417825171588, -0.34276697716814, 0.012037642711939, -0.75, 0.25, 0.25,
                           0.25, -0.00033535013046637, 0, 0.00033535013046648, 0},
                          this->kEps);
  }
}

// Many rows, so that the work is split; each row against the definition in double.
TEST(SoftmaxRows, ManyRows) {
  NodeRunner runner;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-5, 5);
  Tensor x(DType::kFloat, Shape({30, 41, 37}));
  for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = uniform(random);
  auto y = runner.Run("Softmax", {}, {x});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  for (int64_t r = 0; r < 30 * 41; ++r) {
    double sum = 0;
    for (int64_t j = 0; j < 37; ++j) sum += std::exp(static_cast<double>(x.data<float>()[r * 37 + j]));
    for (int64_t j = 0; j < 37; ++j) {
      const double expected = std::exp(static_cast<double>(x.data<float>()[r * 37 + j])) / sum;
      ASSERT_NEAR((*y)[0].data<float>()[r * 37 + j], expected, 10 * 0x1p-24);
    }
  }
}

// Within a range of 8, where a difference from the largest is rounded by up to 4 * 2^-24, and so its exponential.
Tensor Uniform(const Shape& shape) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(-4, 4);
  Tensor x(DType::kFloat, shape);
  for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = uniform(random);
  return x;
}

// Results of some 50 MB, which are written around the caches: rows of whole lines and others. Rows here and there
// against the definition in double.
TEST(SoftmaxRows, LargeResults) {
  constexpr int64_t kElements = int64_t{49} << 18;
  for (int64_t columns : {64, 113, 1000, 4096, 100'003}) {
    const int64_t rows = kElements / columns;
    const Tensor x = Uniform(Shape({rows, columns}));
    NodeRunner runner;
    auto y = runner.Run("Softmax", {}, {x});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    auto log = runner.Run("LogSoftmax", {}, {x});
    ASSERT_TRUE(log.ok()) << log.status().ToString();
    for (int64_t r = 0; r < rows; r += r + 50 < rows ? 49 : 1) {
      const float* row = x.data<float>() + r * columns;
      double sum = 0;
      for (int64_t j = 0; j < columns; ++j) sum += std::exp(static_cast<double>(row[j]));
      for (int64_t j = 0; j < columns; ++j) {
        const double expected = std::exp(static_cast<double>(row[j])) / sum;
        ASSERT_NEAR((*y)[0].data<float>()[r * columns + j], expected, expected * 16 * 0x1p-24) << r << ", " << j;
        ASSERT_NEAR((*log)[0].data<float>()[r * columns + j], std::log(expected), 16 * 0x1p-24 * 16) << r << ", " << j;
      }
    }
  }
}

// Losses and gradients of the same size against the definition in double, rows here and there.
TEST(SoftmaxRows, LargeCrossEntropies) {
  constexpr int64_t kColumns = 1001;
  constexpr int64_t kRows = (int64_t{49} << 18) / kColumns;
  const Tensor x = Uniform(Shape({kRows, kColumns}));
  Tensor classes(DType::kInt32, Shape({kRows}));
  Tensor labels(DType::kFloat, x.shape());
  std::fill_n(labels.data<float>(), labels.num_elements(), 0.0F);
  for (int64_t r = 0; r < kRows; ++r) {
    classes.data<int32_t>()[r] = static_cast<int32_t>(r * 37 % kColumns);
    labels.data<float>()[r * kColumns + r * 37 % kColumns] = 1;
  }
  NodeRunner runner;
  auto sparse = runner.Run("SparseSoftmaxCrossEntropyWithLogits", {}, {x, classes});
  ASSERT_TRUE(sparse.ok()) << sparse.status().ToString();
  auto dense = runner.Run("SoftmaxCrossEntropyWithLogits", {}, {x, labels});
  ASSERT_TRUE(dense.ok()) << dense.status().ToString();
  for (int64_t r = 0; r < kRows; r += r + 50 < kRows ? 49 : 1) {
    const float* row = x.data<float>() + r * kColumns;
    const int64_t label = r * 37 % kColumns;
    double sum = 0;
    for (int64_t j = 0; j < kColumns; ++j) sum += std::exp(static_cast<double>(row[j]));
    for (const auto* y : {&*sparse, &*dense}) {
      EXPECT_NEAR((*y)[0].data<float>()[r], std::log(sum) - row[label], 32 * 0x1p-24) << r;
      for (int64_t j = 0; j < kColumns; ++j) {
        const double expected = std::exp(static_cast<double>(row[j])) / sum - (j == label ? 1 : 0);
        ASSERT_NEAR((*y)[1].data<float>()[r * kColumns + j], expected, 2 * 0x1p-24) << r << ", " << j;
      }
    }
  }
}

// Infinite and NaN logits of a large tensor spoil their own rows alone.
TEST(SoftmaxRows, LargeResultsWithInfiniteLogits) {
  constexpr int64_t kColumns = 70;
  constexpr int64_t kRows = (int64_t{49} << 18) / kColumns;
  Tensor x = Uniform(Shape({kRows, kColumns}));
  float* logits = x.data<float>();
  std::fill_n(logits, kColumns - 1, -INFINITY);
  logits[kColumns + 3] = NAN;
  logits[2 * kColumns + 69] = INFINITY;
  NodeRunner runner;
  auto y = runner.Run("Softmax", {}, {x});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  const float* rows = (*y)[0].data<float>();
  EXPECT_EQ(rows[0], 0.0F);
  EXPECT_EQ(rows[kColumns - 1], 1.0F);
  for (int64_t j = kColumns; j < 3 * kColumns; ++j) {
    EXPECT_TRUE(std::isnan(rows[j]) || (j >= 2 * kColumns && rows[j] == 0.0F)) << j;
  }
  for (int64_t j = 3 * kColumns; j < 10 * kColumns; ++j) EXPECT_TRUE(rows[j] > 0.0F && rows[j] < 1.0F) << j;
}

// Rows of a large tensor far from 0, and with elements far above the row's first ones, as masks leave them.
TEST(SoftmaxRows, LargeResultsOfLogitsFarApart) {
  constexpr int64_t kColumns = 128;
  constexpr int64_t kRows = (int64_t{49} << 18) / kColumns;
  Tensor x = Uniform(Shape({kRows, kColumns}));
  float* logits = x.data<float>();
  for (int64_t j = 0; j < kColumns; ++j) {
    logits[j] += 3000;
    logits[kColumns + j] -= 1e6F;
    logits[2 * kColumns + j] += j < 100 ? -1e9F : 0;
    logits[3 * kColumns + j] += j < 100 ? 0 : 80;
    logits[4 * kColumns + j] += j < 100 ? 0 : 60;
  }
  NodeRunner runner;
  auto y = runner.Run("Softmax", {}, {x});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  auto log = runner.Run("LogSoftmax", {}, {x});
  ASSERT_TRUE(log.ok()) << log.status().ToString();
  for (int64_t r = 0; r < 6; ++r) {
    const float* row = logits + r * kColumns;
    const double largest = *std::max_element(row, row + kColumns);
    double sum = 0;
    for (int64_t j = 0; j < kColumns; ++j) sum += std::exp(row[j] - largest);
    for (int64_t j = 0; j < kColumns; ++j) {
      const double expected = std::exp(row[j] - largest) / sum;
      const double log_expected = row[j] - largest - std::log(sum);
      // A difference from the largest is rounded by up to 2^-24 of it, if it is used.
      const double error = (16 + (largest - row[j])) * 0x1p-24;
      EXPECT_NEAR((*y)[0].data<float>()[r * kColumns + j], expected, expected < 0x1p-126 ? 0x1p-126 : expected * error)
          << r << ", " << j;
      EXPECT_NEAR((*log)[0].data<float>()[r * kColumns + j], log_expected, error * 16) << r << ", " << j;
    }
  }
}

// A certain row has a loss of exactly zero.
TEST(SoftmaxRows, LargeResultsOfCertainRows) {
  constexpr int64_t kColumns = 128;
  constexpr int64_t kRows = (int64_t{49} << 18) / kColumns;
  Tensor x = Uniform(Shape({kRows, kColumns}));
  for (int64_t j = 0; j < kColumns; ++j) x.data<float>()[j] = j == 70 ? 20.3F : -INFINITY;
  for (int64_t j = 0; j < kColumns; ++j) x.data<float>()[kColumns + j] = j == 5 ? 20.3F : -1000;
  NodeRunner runner;
  auto log = runner.Run("LogSoftmax", {}, {x});
  ASSERT_TRUE(log.ok()) << log.status().ToString();
  EXPECT_EQ((*log)[0].data<float>()[70], 0.0F);
  EXPECT_EQ((*log)[0].data<float>()[kColumns + 5], 0.0F);
}

TEST(SoftmaxErrors, LabelsAndShapes) {
  NodeRunner runner;
  const Tensor logits = Matrix<float>(3, kLogits);
  for (int64_t bad : {int64_t{-1}, int64_t{4}, INT64_MAX, INT64_MIN}) {
    auto y = runner.Run("SparseSoftmaxCrossEntropyWithLogits", {}, {logits, Tensor::Vector<int64_t>({0, bad, 1})});
    ASSERT_FALSE(y.ok());
    EXPECT_EQ(y.status().code(), Code::kInvalidArgument);
  }
  for (const Tensor& labels :
       {Tensor::Vector<int64_t>({0, 1}), Tensor::Scalar<int64_t>(0), Make<int64_t>(Shape({3, 1}), {0, 0, 0})}) {
    auto y = runner.Run("SparseSoftmaxCrossEntropyWithLogits", {}, {logits, labels});
    ASSERT_FALSE(y.ok());
    EXPECT_EQ(y.status().code(), Code::kInvalidArgument);
  }
  for (const Tensor& labels : {Matrix<float>(2, {1, 2, 3, 4, 5, 6, 7, 8}), Make<float>(Shape({3}), {1, 2, 3})}) {
    auto y = runner.Run("SoftmaxCrossEntropyWithLogits", {}, {logits, labels});
    ASSERT_FALSE(y.ok());
    EXPECT_EQ(y.status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(runner.Run("Softmax", {}, {Tensor::Scalar(1.F)}).status().code(), Code::kInvalidArgument);
}

TEST(SoftmaxEmpty, GivesEmptyResults) {
  NodeRunner runner;
  EXPECT_TRUE(runner.Run("Softmax", {}, {Tensor(DType::kFloat, Shape({3, 0}))}).ok());
  EXPECT_TRUE(runner.Run("LogSoftmax", {}, {Tensor(DType::kFloat, Shape({0, 3}))}).ok());
  EXPECT_TRUE(runner
                  .Run("SparseSoftmaxCrossEntropyWithLogits", {},
                       {Tensor(DType::kFloat, Shape({0, 3})), Tensor(DType::kInt64, Shape({0}))})
                  .ok());
  auto y = runner.Run("SoftmaxCrossEntropyWithLogits", {},
                      {Tensor(DType::kFloat, Shape({2, 0})), Tensor(DType::kFloat, Shape({2, 0}))});
  ASSERT_TRUE(y.ok());
  ExpectNear<float>((*y)[0], {0, 0}, 0);
}

}  // namespace
}  // namespace dfrun
