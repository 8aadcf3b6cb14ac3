#include <gtest/gtest.h>

#include "kernels/nn/bias/bias_sums.h"
#include "src/executor/step/worker_pool.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::Make;
using testing::NodeRunner;

Tensor Count(const Shape& shape) {
  Tensor tensor(DType::kFloat, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<float>()[i] = static_cast<float>(i);
  return tensor;
}

TEST(BiasAdd, BothFormats) {
  NodeRunner runner;
  auto last = runner.Run("BiasAdd", {}, {Count(Shape({2, 3})), Tensor::Vector<float>({10, 20, 30})});
  ASSERT_TRUE(last.ok()) << last.status().ToString();
  EXPECT_TRUE((*last)[0].Identical(Make<float>(Shape({2, 3}), {10, 21, 32, 13, 24, 35})));
  auto first =
      runner.Run("BiasAdd", {{"data_format", "NCHW"}}, {Count(Shape({2, 2, 1, 2})), Tensor::Vector<float>({10, 20})});
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_TRUE((*first)[0].Identical(Make<float>(Shape({2, 2, 1, 2}), {10, 11, 22, 23, 14, 15, 26, 27})));
}

// Expected values from TensorFlow 2.21.
TEST(BiasAddGrad, BothFormats) {
  NodeRunner runner;
  auto last = runner.Run("BiasAddGrad", {}, {Count(Shape({1, 2, 2, 3}))});
  ASSERT_TRUE(last.ok()) << last.status().ToString();
  EXPECT_TRUE((*last)[0].Identical(Tensor::Vector<float>({18, 22, 26})));
  auto first = runner.Run("BiasAddGrad", {{"data_format", "NCHW"}}, {Count(Shape({1, 2, 2, 3}))});
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_TRUE((*first)[0].Identical(Tensor::Vector<float>({15, 51})));
}

// Few rows and many use different algorithms; small integers sum exactly in both.
TEST(BiasAddGrad, AnyNumberOfRows) {
  NodeRunner runner;
  for (int64_t rows : {0, 1, 32, 64, 65, 5000}) {
    for (int64_t columns : {1, 10, 100}) {
      Tensor dy(DType::kFloat, Shape({rows, columns}));
      for (int64_t i = 0; i < dy.num_elements(); ++i) dy.data<float>()[i] = static_cast<float>(i % 7);
      auto sums = runner.Run("BiasAddGrad", {}, {dy});
      ASSERT_TRUE(sums.ok()) << sums.status().ToString();
      for (int64_t j = 0; j < columns; ++j) {
        double expected = 0;
        for (int64_t r = 0; r < rows; ++r) expected += static_cast<double>((r * columns + j) % 7);
        ASSERT_EQ((*sums)[0].data<float>()[j], expected);
      }
    }
  }
}

// Threads take parts of the rows, or of the channels.
TEST(BiasAddGrad, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{128, 1024}, {640, 1000}, {255, 129}, {3000, 190}}) {
    Tensor dy(DType::kFloat, Shape({rows, columns}));
    for (int64_t i = 0; i < dy.num_elements(); ++i) {
      dy.data<float>()[i] = static_cast<float>(i * 7919 % 1009) / 3.0F - static_cast<float>(i % 97);
    }
    const ChannelLayout layout{rows, columns, 1};
    std::vector<float> expected(static_cast<size_t>(columns));
    InlineThreadPool alone;
    SumBias(layout, dy.data<float>(), alone, expected.data());
    for (int threads : {2, 3, 5}) {
      WorkerPool pool(threads);
      std::vector<float> sums(static_cast<size_t>(columns));
      SumBias(layout, dy.data<float>(), pool, sums.data());
      EXPECT_EQ(sums, expected) << rows << " x " << columns << " on " << threads;
    }
  }
}

TEST(BiasAdd, RefusesWhatDoesNotFit) {
  NodeRunner runner;
  for (const Tensor& bias :
       {Tensor::Vector<float>({1, 2}), Tensor::Scalar(1.F), Make<float>(Shape({1, 3}), {1, 2, 3})}) {
    auto y = runner.Run("BiasAdd", {}, {Count(Shape({2, 3})), bias});
    ASSERT_FALSE(y.ok());
    EXPECT_EQ(y.status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(runner.Run("BiasAdd", {}, {Count(Shape({3})), Tensor::Vector<float>({1, 2, 3})}).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(runner.Run("BiasAddGrad", {}, {Count(Shape({3}))}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
