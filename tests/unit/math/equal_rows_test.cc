// _SumEqualRows comes to Pack and UnsortedSegmentSum.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::Input;
using testing::NodeRunner;

Tensor RandomPlaces(int64_t count, int32_t below) {
  std::mt19937 random(3);
  Tensor places(DType::kInt32, Shape({count}));
  for (int64_t i = 0; i < count; ++i) places.data<int32_t>()[i] = static_cast<int32_t>(random() % below);
  return places;
}

// Of halves, whose sums are exact. Of many places some have no row.
template <class T>
void ComesToTheSame(int64_t matrices, int64_t rows, int64_t columns, int32_t sums) {
  NodeRunner runner;
  const Tensor places = RandomPlaces(matrices * rows, sums);
  std::vector<Input> inputs{places, Tensor::Scalar(sums)};
  std::vector<Input> values;
  for (int64_t i = 0; i < matrices; ++i) {
    values.emplace_back(testing::RandomHalves<T>(Shape({rows, columns}), static_cast<uint32_t>(i + 1)));
    inputs.push_back(values.back());
  }
  for (int64_t axis : {0, 1}) {
    Result<std::vector<Tensor>> packed =
        runner.Run("Pack", {{"T", DTypeOf<T>}, {"N", matrices}, {"axis", axis}}, values);
    ASSERT_TRUE(packed.ok()) << packed.status().ToString();
    const Tensor flat = (*packed)[0].Reshaped(Shape({matrices * rows, columns}));
    Result<std::vector<Tensor>> expected = runner.Run(
        "UnsortedSegmentSum", {{"T", DTypeOf<T>}, {"Tindices", DType::kInt32}, {"Tnumsegments", DType::kInt32}},
        {flat, places, Tensor::Scalar(sums)});
    Result<std::vector<Tensor>> got =
        runner.Run("_SumEqualRows", {{"T", DTypeOf<T>}, {"N", matrices}, {"axis", axis}}, inputs);
    ASSERT_TRUE(expected.ok() && got.ok()) << got.status().ToString();
    const auto values_got = (*got)[0].template values<T>();
    const auto wanted = (*expected)[0].template values<T>();
    EXPECT_TRUE((*got)[0].shape() == (*expected)[0].shape());
    EXPECT_TRUE(std::equal(values_got.begin(), values_got.end(), wanted.begin(), wanted.end()))
        << matrices << " of " << rows << " x " << columns;
  }
}

TEST(SumEqualRows, ComesToTheSame) {
  ComesToTheSame<float>(3, 5, 40, 6);
  ComesToTheSame<float>(1, 1, 1, 1);
  ComesToTheSame<double>(4, 9, 33, 1000);
  ComesToTheSame<float>(20, 32, 1024, 300);  // more than a thread's part
  ComesToTheSame<float>(2, 0, 7, 3);
  ComesToTheSame<double>(2, 6, 0, 3);
}

TEST(SumEqualRows, RefusesWhatDoesNotFit) {
  NodeRunner runner;
  const auto code = [&](const Shape& places, const Shape& a, const Shape& b, int64_t axis, int32_t sums = 5) {
    const Tensor of_places = RandomPlaces(places.num_elements(), 5).Reshaped(places);
    return runner
        .Run(NodeRunner::Way::kUnknownShapes, "_SumEqualRows",
             {{"T", DType::kFloat}, {"N", int64_t{2}}, {"axis", axis}},
             {of_places, Tensor::Scalar(sums), testing::RandomNormal<float>(a, 1), testing::RandomNormal<float>(b, 2)})
        .status()
        .code();
  };
  EXPECT_EQ(code({8}, {4, 6}, {4, 6}, 0), Code::kOk);
  EXPECT_EQ(code({2, 4}, {4, 6}, {4, 6}, 1), Code::kOk);
  EXPECT_EQ(code({7}, {4, 6}, {4, 6}, 0), Code::kInvalidArgument);
  EXPECT_EQ(code({8}, {4, 6}, {6, 4}, 0), Code::kInvalidArgument);
  EXPECT_EQ(code({8}, {24}, {24}, 0), Code::kInvalidArgument);
  EXPECT_EQ(code({8}, {4, 6}, {4, 6}, 2), Code::kInvalidArgument);
  EXPECT_EQ(code({8}, {4, 6}, {4, 6}, -1), Code::kInvalidArgument);
  EXPECT_EQ(code({8}, {4, 6}, {4, 6}, 0, 1), Code::kInvalidArgument);
  EXPECT_EQ(code({8}, {4, 6}, {4, 6}, 0, -1), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
