#include "kernels/array/copy/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "kernels/array/copy/transpose_tiles.h"

namespace dfrun {
namespace {

TEST(StridedCopy, MergesDimensionsThatBothLayoutsWalkAsOne) {
  const std::vector<CopyDim> merged = MergeCopyDims({{2, 12, 12}, {1, 99, 99}, {3, 4, 4}, {4, 1, 1}});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].size, 24);
  EXPECT_EQ(MergeCopyDims({{2, 12, 20}, {3, 4, 4}, {4, 1, 1}}).size(), 2U);
}

// Copies the permutation of a block of the given sizes and compares it with the definition.
template <class T>
void CheckPermutation(const std::vector<int64_t>& sizes, const std::vector<int>& order, DType dtype) {
  const std::vector<CopyDim> dims = PermutedDims(sizes, order);
  const int64_t count = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  std::vector<T> from(static_cast<size_t>(count));
  std::vector<T> to(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, std::string>) {
      from[i] = "element " + std::to_string(i);
    } else {
      from[i] = static_cast<T>(i % 1000003);
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

template <class T>
void CheckRandomPermutation(std::mt19937& random, int64_t largest, DType dtype) {
  std::vector<int64_t> sizes(1 + random() % 4);
  for (int64_t& s : sizes) s = static_cast<int64_t>(1 + random() % largest);
  std::vector<int> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  CheckPermutation<T>(sizes, order, dtype);
}

TEST(StridedCopy, PermutesBlocksOfAnyElement) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    CheckRandomPermutation<float>(random, 40, DType::kFloat);
    CheckRandomPermutation<uint8_t>(random, 12, DType::kBool);
    CheckRandomPermutation<int16_t>(random, 12, DType::kBfloat16);
    CheckRandomPermutation<int64_t>(random, 12, DType::kInt64);
    CheckRandomPermutation<std::string>(random, 5, DType::kString);
  }
}

// From 8 MiB on the result goes past the caches, a whole cache line at a time.
TEST(StridedCopy, TransposesLargeMatricesOfAnyElement) {
  CheckPermutation<uint8_t>({2903, 2905}, {1, 0}, DType::kBool);
  CheckPermutation<int16_t>({2050, 2111}, {1, 0}, DType::kInt16);
  CheckPermutation<float>({1531, 1409}, {1, 0}, DType::kFloat);
  CheckPermutation<float>({64, 33000}, {1, 0}, DType::kFloat);
  CheckPermutation<float>({33000, 65}, {1, 0}, DType::kFloat);
  CheckPermutation<int64_t>({1031, 1049}, {1, 0}, DType::kInt64);
  CheckPermutation<std::complex<double>>({700, 777}, {1, 0}, DType::kComplex128);
  CheckPermutation<std::complex<double>>({1024, 2080}, {1, 0}, DType::kComplex128);
  CheckPermutation<float>({130, 131, 129}, {2, 1, 0}, DType::kFloat);
}

// A result of whole aligned cache lines, streamed in strips where the source's rows are whole lines too.
template <class E>
void CheckAlignedTransposition(int64_t rows, int64_t cols) {
  std::vector<E> from(static_cast<size_t>(rows * cols));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<E>(i % 1000003);
  constexpr size_t kLine = 64 / sizeof(E);
  std::vector<E> storage(from.size() + kLine);
  E* to = storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) / sizeof(E);
  TransposeTiles(from.data(), rows, to, cols, rows, cols, true);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) ASSERT_EQ(to[r * cols + c], from[c * rows + r]) << r << ", " << c;
  }
}

TEST(StridedCopy, StreamsAlignedMatrices) {
  for (int64_t rows : {64, 192, 200}) {
    CheckAlignedTransposition<uint8_t>(rows, 64);
    CheckAlignedTransposition<uint8_t>(rows, 448);
  }
  for (int64_t rows : {32, 96, 100}) {
    CheckAlignedTransposition<uint16_t>(rows, 32);
    CheckAlignedTransposition<uint16_t>(rows, 224);
  }
  for (int64_t cols : {32, 40, 48, 64, 96, 1024}) {
    CheckAlignedTransposition<uint32_t>(272, cols);
    CheckAlignedTransposition<uint64_t>(272, cols);
    CheckAlignedTransposition<uint32_t>(273, cols);  // no whole squares
  }
  CheckAlignedTransposition<uint32_t>(16, 16);  // one tile, one square
  CheckAlignedTransposition<uint64_t>(8, 72);
}

// A copy of some 50 MB, whose rows go around the caches, between guards that must stay.
void CheckLargeCopy(CopyDim rows, CopyDim row, int64_t first) {
  const int64_t from_size = rows.size * std::abs(rows.from_stride) + row.size * std::abs(row.from_stride) + 1;
  std::vector<int32_t> from(static_cast<size_t>(from_size));
  std::iota(from.begin(), from.end(), 0);
  std::vector<int32_t> to(static_cast<size_t>(rows.size * rows.to_stride), -1);
  const int32_t* const source = from.data() + (row.from_stride < 0 ? -row.from_stride * row.size : 0);
  InlineThreadPool pool;
  StridedCopy(pool, DType::kInt32, source, to.data() + first, {rows, row});
  for (int64_t i = 0; i < rows.size; ++i) {
    for (int64_t j = 0; j < rows.to_stride; ++j) {
      const int64_t at = j - first;
      const int32_t expected =
          at >= 0 && at < row.size ? source[i * rows.from_stride + at * row.from_stride] : int32_t{-1};
      ASSERT_EQ(to[i * rows.to_stride + j], expected) << i << ", " << j;
    }
  }
}

TEST(StridedCopy, LargeCopiesOfRows) {
  CheckLargeCopy({13'000, 1000, 1003}, {1000, 1, 1}, 2);
  CheckLargeCopy({13'000, 1000, 1003}, {1000, -1, 1}, 2);
  CheckLargeCopy({13'000, 2000, 1003}, {1000, 2, 1}, 2);
  CheckLargeCopy({13'000, 0, 1003}, {1000, 1, 1}, 2);
  CheckLargeCopy({13'000, 1, 1003}, {1000, 0, 1}, 2);
  CheckLargeCopy({170'000, 75, 80}, {75, 1, 1}, 3);
  CheckLargeCopy({1, 13'000'000, 13'000'005}, {13'000'000, 1, 1}, 2);
}

// Rows of 2, 4, 8 and 16 bytes are moved as one element.
TEST(StridedCopy, PermutesShortRows) {
  for (int64_t row : {2, 3, 4, 8, 16}) {
    CheckPermutation<uint8_t>({35, 21, row}, {1, 0, 2}, DType::kBool);
    CheckPermutation<float>({35, 21, row}, {1, 0, 2}, DType::kFloat);
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
