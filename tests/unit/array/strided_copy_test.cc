#include "kernels/array/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace dfrun {
namespace {

TEST(StridedCopy, MergesDimensionsThatBothLayoutsWalkAsOne) {
  const std::vector<CopyDim> merged = MergeCopyDims({{2, 12, 12}, {1, 99, 99}, {3, 4, 4}, {4, 1, 1}});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].size, 24);
  EXPECT_EQ(MergeCopyDims({{2, 12, 20}, {3, 4, 4}, {4, 1, 1}}).size(), 2U);
}

// Copies a permutation of a random block and compares it with the definition.
template <class T>
void CheckPermutation(std::mt19937& random, int64_t largest, DType dtype) {
  std::vector<int64_t> sizes(1 + random() % 4);
  for (int64_t& s : sizes) s = static_cast<int64_t>(1 + random() % largest);
  std::vector<int> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  const Shape from_shape{std::span<const int64_t>(sizes)};
  const std::vector<int64_t> from_strides = RowMajorStrides(from_shape);
  std::vector<CopyDim> dims;
  for (int d : order) dims.push_back({sizes[d], from_strides[d], 0});
  int64_t count = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    dims[d].to_stride = count;
    count *= dims[d].size;
  }
  std::vector<T> from(static_cast<size_t>(count));
  std::vector<T> to(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, std::string>) {
      from[i] = "element " + std::to_string(i);
    } else {
      from[i] = static_cast<T>(i);
    }
  }
  InlineThreadPool pool;
  StridedCopy(pool, dtype, from.data(), to.data(), dims);
  for (int64_t i = 0; i < count; ++i) {
    int64_t source = 0;
    for (const CopyDim& d : dims) source += i / d.to_stride % d.size * d.from_stride;
    ASSERT_EQ(to[i], from[source]) << i;
  }
}

TEST(StridedCopy, PermutesBlocksOfAnyElement) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    CheckPermutation<float>(random, 40, DType::kFloat);
    CheckPermutation<uint8_t>(random, 12, DType::kBool);
    CheckPermutation<int16_t>(random, 12, DType::kBfloat16);
    CheckPermutation<int64_t>(random, 12, DType::kInt64);
    CheckPermutation<std::string>(random, 5, DType::kString);
  }
}

TEST(StridedCopy, WalksBackwardsAndRepeats) {
  const std::vector<int32_t> from = {1, 2, 3};
  std::vector<int32_t> to(6);
  InlineThreadPool pool;
  StridedCopy(pool, DType::kInt32, from.data() + 2, to.data(), {{2, 0, 3}, {3, -1, 1}});
  EXPECT_EQ(to, (std::vector<int32_t>{3, 2, 1, 3, 2, 1}));
  StridedCopy(pool, DType::kInt32, from.data(), to.data(), {{3, 1, 2}, {2, 0, 1}});
  EXPECT_EQ(to, (std::vector<int32_t>{1, 1, 2, 2, 3, 3}));
}

}  // namespace
}  // namespace dfrun
