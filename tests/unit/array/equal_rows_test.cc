// _SumEqualRows comes to Unique, Pack and UnsortedSegmentSum; _Rows to Slice.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::Input;
using testing::NodeRunner;

template <class Index>
Tensor RandomKeys(int64_t count, Index below) {
  std::mt19937 random(3);
  Tensor keys(DTypeOf<Index>, Shape({count}));
  for (int64_t i = 0; i < count; ++i) keys.data<Index>()[i] = static_cast<Index>(random() % below) - 2;
  return keys;
}

// Of halves, whose sums are exact.
template <class T, class Index>
void ComesToTheSame(int64_t matrices, int64_t rows, int64_t columns, Index below) {
  NodeRunner runner;
  const Tensor keys = RandomKeys<Index>(matrices * rows, below);
  std::vector<Input> inputs{keys};
  std::vector<Input> values;
  for (int64_t i = 0; i < matrices; ++i) {
    values.emplace_back(testing::RandomHalves<T>(Shape({rows, columns}), static_cast<uint32_t>(i + 1)));
    inputs.push_back(values.back());
  }
  Result<std::vector<Tensor>> unique =
      runner.Run("Unique", {{"T", DTypeOf<Index>}, {"out_idx", DType::kInt32}}, {keys});
  ASSERT_TRUE(unique.ok()) << unique.status().ToString();
  const auto different = static_cast<int32_t>((*unique)[0].num_elements());
  for (int64_t axis : {0, 1}) {
    Result<std::vector<Tensor>> packed =
        runner.Run("Pack", {{"T", DTypeOf<T>}, {"N", matrices}, {"axis", axis}}, values);
    ASSERT_TRUE(packed.ok()) << packed.status().ToString();
    const Tensor flat = (*packed)[0].Reshaped(Shape({matrices * rows, columns}));
    Result<std::vector<Tensor>> expected = runner.Run(
        "UnsortedSegmentSum", {{"T", DTypeOf<T>}, {"Tindices", DType::kInt32}, {"Tnumsegments", DType::kInt32}},
        {flat, (*unique)[1], Tensor::Scalar(different)});
    const AttrMap attrs{{"T", DTypeOf<T>}, {"Tkeys", DTypeOf<Index>}, {"N", matrices}, {"axis", axis}};
    Result<std::vector<Tensor>> sums = runner.Run("_SumEqualRows", attrs, inputs);
    ASSERT_TRUE(expected.ok() && sums.ok()) << sums.status().ToString();
    const auto got = (*sums)[0].template values<T>();
    const auto wanted = (*expected)[0].template values<T>();
    EXPECT_TRUE((*sums)[0].shape() == (*expected)[0].shape());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), wanted.begin(), wanted.end()))
        << matrices << " of " << rows << " x " << columns;
    EXPECT_TRUE((*sums)[1].Identical((*unique)[0]));
  }
}

TEST(SumEqualRows, ComesToTheSame) {
  ComesToTheSame<float, int32_t>(3, 5, 40, 6);
  ComesToTheSame<float, int64_t>(1, 1, 1, 1);
  ComesToTheSame<double, int64_t>(4, 9, 33, 1000);
  ComesToTheSame<float, int32_t>(20, 32, 1024, 300);  // more than a thread's part
  ComesToTheSame<float, int32_t>(2, 0, 7, 3);
  ComesToTheSame<double, int32_t>(2, 6, 0, 3);
}

TEST(SumEqualRows, RefusesWhatDoesNotFit) {
  NodeRunner runner;
  const auto code = [&](const Shape& keys, const Shape& a, const Shape& b, int64_t axis) {
    const Tensor of_keys = RandomKeys<int32_t>(keys.num_elements(), 5).Reshaped(keys);
    const AttrMap attrs{{"T", DType::kFloat}, {"Tkeys", DType::kInt32}, {"N", int64_t{2}}, {"axis", axis}};
    return runner
        .Run(NodeRunner::Way::kUnknownShapes, "_SumEqualRows", attrs,
             {of_keys, testing::RandomNormal<float>(a, 1), testing::RandomNormal<float>(b, 2)})
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
}

TEST(Rows, ComeToASlice) {
  NodeRunner runner;
  const auto run = [&](const Tensor& x, int64_t first, int64_t count) {
    return runner.Run(NodeRunner::Way::kUnknownShapes, "_Rows", {{"T", x.dtype()}, {"first", first}, {"count", count}},
                      {x});
  };
  const Tensor x = testing::RandomNormal<float>(Shape({7, 3, 2}), 1);
  Result<std::vector<Tensor>> rows = run(x, 2, 4);
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  ASSERT_TRUE((*rows)[0].shape() == Shape({4, 3, 2}));
  EXPECT_TRUE(std::equal(x.data<float>() + 12, x.data<float>() + 36, (*rows)[0].data<float>()));
  Tensor words(DType::kString, Shape({3}));
  for (int i = 0; i < 3; ++i) words.data<std::string>()[i] = std::string(40, static_cast<char>('a' + i));
  rows = run(words, 1, 2);
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  EXPECT_EQ((*rows)[0].data<std::string>()[1], std::string(40, 'c'));
  EXPECT_TRUE(run(x, 7, 0).ok());
  for (const auto& [first, count] :
       std::vector<std::pair<int64_t, int64_t>>{{7, 1}, {0, 8}, {8, 0}, {INT64_MAX, INT64_MAX}}) {
    EXPECT_EQ(run(x, first, count).status().code(), Code::kInvalidArgument) << first << ", " << count;
  }
  EXPECT_EQ(run(Tensor::Scalar(1.F), 0, 1).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
