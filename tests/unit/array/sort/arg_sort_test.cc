// ArgSort, which TensorFlow lacks as an op: against a sort of pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

template <class T>
std::vector<int64_t> Order(std::initializer_list<T> values, bool descending = false) {
  NodeRunner runner;
  const Result<std::vector<Tensor>> outputs =
      runner.Run("ArgSort", {{"T", DTypeOf<T>}, {"descending", descending}}, {Tensor::Vector<T>(values)});
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  if (!outputs.ok()) return {};
  const std::span<const int64_t> order = (*outputs)[0].values<int64_t>();
  return {order.begin(), order.end()};
}

using Indices = std::vector<int64_t>;

TEST(ArgSort, EqualValuesKeepTheirOrder) {
  EXPECT_EQ(Order<int32_t>({3, 1, 3, 2, 1}), (Indices{1, 4, 3, 0, 2}));
  EXPECT_EQ(Order<int32_t>({3, 1, 3, 2, 1}, true), (Indices{0, 2, 3, 1, 4}));
  EXPECT_EQ(Order<int32_t>({}), Indices());
}

TEST(ArgSort, NanComesLastEitherWay) {
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Order<float>({nan, 1, -infinity, nan, infinity}), (Indices{2, 1, 4, 0, 3}));
  EXPECT_EQ(Order<float>({nan, 1, -infinity, nan, infinity}, true), (Indices{4, 1, 2, 0, 3}));
}

TEST(ArgSort, StringsAreComparedByBytes) {
  EXPECT_EQ(Order<std::string>({"b", "", "a", "\xc3\xa9", "B", "ab"}), (Indices{1, 4, 2, 5, 0, 3}));
}

TEST(ArgSort, ManyValuesAreInOrder) {
  std::mt19937 random(3);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  Tensor values(DType::kInt64, Shape({5000}));
  for (int64_t i = 0; i < 5000; ++i) {
    values.data<int64_t>()[i] = static_cast<int64_t>(random() % 1000) - 500;
    pairs.emplace_back(values.data<int64_t>()[i], i);
  }
  std::sort(pairs.begin(), pairs.end());
  NodeRunner runner;
  const Result<std::vector<Tensor>> outputs =
      runner.Run("ArgSort", {{"T", DType::kInt64}, {"descending", false}}, {values});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  for (size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ((*outputs)[0].data<int64_t>()[i], pairs[i].second);
}

TEST(ArgSort, RefusesWhatIsNoVector) {
  NodeRunner runner;
  const Result<std::vector<Tensor>> outputs =
      runner.Run(NodeRunner::Way::kUnknownShapes, "ArgSort", {{"T", DType::kFloat}, {"descending", false}},
                 {Tensor(DType::kFloat, Shape({2, 2}))});
  EXPECT_FALSE(outputs.ok());
}

}  // namespace
}  // namespace dfrun
