#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

// Rows of `row` elements at `indices` positions along axis 1 of [slices, rows, row], against the definition.
void CheckRows(int64_t slices, int64_t rows, int64_t indices, int64_t row) {
  Tensor params(DType::kInt32, Shape({slices, rows, row}));
  for (int64_t i = 0; i < params.num_elements(); ++i) params.data<int32_t>()[i] = static_cast<int32_t>(i);
  Tensor chosen(DType::kInt32, Shape({indices}));
  for (int64_t i = 0; i < indices; ++i) chosen.data<int32_t>()[i] = static_cast<int32_t>(i * 7919 % rows);
  NodeRunner runner;
  auto y = runner.Run("GatherV2", {}, {params, chosen, Tensor::Scalar<int32_t>(1)});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  const int32_t* result = (*y)[0].data<int32_t>();
  for (int64_t i = 0; i < slices * indices; ++i) {
    const int64_t place = i / indices * rows + chosen.data<int32_t>()[i % indices];
    const int32_t* from = params.data<int32_t>() + place * row;
    ASSERT_TRUE(std::equal(from, from + row, result + i * row)) << "row " << i << " of " << row;
  }
}

// Results of some 55 MB, which go around the caches; rows that are whole cache lines, and rows that are not.
TEST(Gather, LargeResults) {
  for (int64_t row : {1024, 1021, 64, 17, 3, 1}) CheckRows(1, 301, 13'800'000 / row, row);
  CheckRows(40'000, 7, 5, 69);
}

TEST(Gather, RowsOfAnyLength) {
  for (int64_t row : {1, 2, 3, 4, 5, 7, 8, 16, 33, 127, 128, 129, 130}) CheckRows(3, 301, 70, row);
}

}  // namespace
}  // namespace dfrun
