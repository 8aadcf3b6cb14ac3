// Segments that are too large for golden cases: the same bits on any number of threads, and exact sums.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <utility>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

Tensor Values(const Shape& shape) {
  Tensor tensor(DType::kFloat, shape);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(0.1F, 2);
  for (int64_t i = 0; i < shape.num_elements(); ++i) tensor.data<float>()[i] = uniform(random);
  return tensor;
}

void CheckSums(const Tensor& x, const Tensor& ids, const Tensor& sums, int64_t segments) {
  const int64_t rows = x.shape().dim(0);
  const int64_t width = x.num_elements() / rows;
  std::vector<double> exact(static_cast<size_t>(segments * width));
  for (int64_t r = 0; r < rows; ++r) {
    const int32_t id = ids.data<int32_t>()[r];
    for (int64_t j = 0; j < width && id >= 0; ++j) exact[id * width + j] += x.data<float>()[r * width + j];
  }
  for (int64_t i = 0; i < segments * width; ++i) ASSERT_EQ(sums.data<float>()[i], static_cast<float>(exact[i])) << i;
}

TEST(Segment, UnsortedSumsAreTheSumsInDouble) {
  NodeRunner runner;
  std::mt19937 random(7);
  for (const Shape& shape : {Shape({50000}), Shape({3000, 50}), Shape({40, 9001})}) {
    const Tensor x = Values(shape);
    Tensor ids(DType::kInt32, Shape({shape.dim(0)}));
    for (int64_t r = 0; r < shape.dim(0); ++r) ids.data<int32_t>()[r] = static_cast<int32_t>(random() % 31) - 1;
    const auto y = runner.Run("UnsortedSegmentSum", {}, {x, ids, Tensor::Scalar<int32_t>(30)});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    CheckSums(x, ids, (*y)[0], 30);
  }
}

// TensorFlow has these on accelerators only: what they give is written here.
TEST(Segment, TheNumberOfSegmentsMayBeAnInput) {
  NodeRunner runner;
  constexpr float kMax = std::numeric_limits<float>::max();
  const Tensor x = Tensor::Vector<float>({1, 2, 3, 4});
  const Tensor ids = Tensor::Vector<int64_t>({0, 0, 2, 2});
  const std::pair<const char*, std::array<float, 4>> cases[] = {{"SegmentSumV2", {3, 0, 7, 0}},
                                                                {"SegmentProdV2", {2, 1, 12, 1}},
                                                                {"SegmentMaxV2", {2, -kMax, 4, -kMax}},
                                                                {"SegmentMinV2", {1, kMax, 3, kMax}}};
  for (const auto& [op, expected] : cases) {
    const auto y = runner.Run(op, {}, {x, ids, Tensor::Scalar<int32_t>(4)});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    EXPECT_TRUE((*y)[0].Identical(Tensor::Vector<float>(expected))) << op << " gives " << (*y)[0].ToString();
  }
}

TEST(Segment, HugeCountsOfEmptyRowsCostNothing) {
  NodeRunner runner;
  const auto y = runner.Run("UnsortedSegmentSum", {},
                            {Tensor(DType::kFloat, Shape({2, 0})), Tensor::Vector<int32_t>({0, 1}),
                             Tensor::Scalar<int64_t>(int64_t{1} << 60)});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_EQ((*y)[0].shape().dim(0), int64_t{1} << 60);
}

TEST(Segment, AnIdWithoutASuccessorIsAnError) {
  NodeRunner runner;
  const Tensor ids = Tensor::Vector<int64_t>({std::numeric_limits<int64_t>::max()});
  for (const char* op : {"SegmentSum", "SegmentMax"}) {
    const auto y = runner.Run(op, {}, {Values({1, 2}), ids});
    ASSERT_FALSE(y.ok());
    EXPECT_EQ(y.status().code(), Code::kInvalidArgument);
  }
}

TEST(Segment, MoreBytesThanThereAreIsAnError) {
  NodeRunner runner;
  const auto y = runner.Run(NodeRunner::Way::kUnknownShapes, "UnsortedSegmentSum", {},
                            {Tensor(DType::kFloat, Shape({2, 3})), Tensor::Vector<int32_t>({0, 1}),
                             Tensor::Scalar<int64_t>(int64_t{1} << 60)});
  EXPECT_FALSE(y.ok());
}

}  // namespace
}  // namespace dfrun
