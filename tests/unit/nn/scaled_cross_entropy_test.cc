// _ScaledSoftmaxCrossEntropyWithLogits and its sparse form give the bits of the losses and Mul.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;
using testing::RandomUniform;

// Of what is random.
constexpr double kLimit = 4;

template <class Label>
Tensor Labels(int64_t rows, int64_t columns) {
  std::mt19937 random(3);
  Tensor labels(DTypeOf<Label>, Shape({rows}));
  for (int64_t i = 0; i < rows; ++i) labels.data<Label>()[i] = static_cast<Label>(random() % columns);
  return labels;
}

void GivesTheBitsOfBoth(const std::string& op, DType dtype, const Tensor& logits, const Tensor& labels,
                        const Tensor& scale) {
  NodeRunner runner;
  const auto plain = runner.Run(op, {}, {logits, labels});
  ASSERT_TRUE(plain.ok()) << plain.status().ToString();
  const auto product = runner.Run("Mul", {{"T", dtype}}, {scale, (*plain)[1]});
  ASSERT_TRUE(product.ok()) << product.status().ToString();
  const auto scaled = runner.Run("_Scaled" + op, {}, {logits, labels, scale});
  ASSERT_TRUE(scaled.ok()) << scaled.status().ToString();
  EXPECT_TRUE((*scaled)[0].Identical((*plain)[0])) << op << logits.shape().ToString();
  EXPECT_TRUE((*scaled)[1].Identical((*product)[0])) << op << logits.shape().ToString();
}

template <class T, class Label>
void OfRows(int64_t rows, int64_t columns) {
  const Tensor logits = RandomUniform<T>(Shape({rows, columns}), 1, kLimit);
  const Tensor scale = RandomUniform<T>(Shape({rows, 1}), 2, kLimit);
  GivesTheBitsOfBoth("SparseSoftmaxCrossEntropyWithLogits", DTypeOf<T>, logits, Labels<Label>(rows, columns), scale);
  GivesTheBitsOfBoth("SoftmaxCrossEntropyWithLogits", DTypeOf<T>, logits, RandomUniform<T>(logits.shape(), 4, kLimit),
                     scale);
}

TEST(ScaledCrossEntropy, GivesTheBitsOfBoth) {
  OfRows<float, int32_t>(32, 10);
  OfRows<float, int64_t>(640, 1000);
  OfRows<float, int32_t>(7, 5003);
  OfRows<float, int32_t>(4096, 4099);  // written around the caches
  OfRows<float, int32_t>(1, 1);
  OfRows<double, int64_t>(70, 129);
}

TEST(ScaledCrossEntropy, LabelsOfOneRowAreRepeated) {
  GivesTheBitsOfBoth("SoftmaxCrossEntropyWithLogits", DType::kFloat, RandomUniform<float>(Shape({9, 33}), 1, kLimit),
                     RandomUniform<float>(Shape({1, 33}), 2, kLimit), RandomUniform<float>(Shape({9, 1}), 3, kLimit));
}

TEST(ScaledCrossEntropy, OfNoRowsIsEmpty) {
  GivesTheBitsOfBoth("SparseSoftmaxCrossEntropyWithLogits", DType::kFloat,
                     RandomUniform<float>(Shape({0, 5}), 1, kLimit), Labels<int32_t>(0, 5),
                     RandomUniform<float>(Shape({0, 1}), 3, kLimit));
}

TEST(ScaledCrossEntropy, RefusesScalesOfAnotherShape) {
  NodeRunner runner;
  const Tensor logits = RandomUniform<float>(Shape({4, 5}), 1, kLimit);
  for (const Shape& shape : {Shape({4}), Shape({3, 1}), Shape({4, 5}), Shape()}) {
    const Tensor scale = RandomUniform<float>(shape, 2, kLimit);
    const auto refused = [&](const std::string& op, const Tensor& labels) {
      return runner.Run(NodeRunner::Way::kUnknownShapes, op, {}, {logits, labels, scale}).status().code();
    };
    EXPECT_EQ(refused("_ScaledSparseSoftmaxCrossEntropyWithLogits", Labels<int32_t>(4, 5)), Code::kInvalidArgument);
    EXPECT_EQ(refused("_ScaledSoftmaxCrossEntropyWithLogits", logits), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace dfrun
