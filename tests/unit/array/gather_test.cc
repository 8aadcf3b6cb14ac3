#include <gtest/gtest.h>

#include <algorithm>

#include "testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

// Results of some 55 MB, which go around the caches; rows that are whole cache lines, and rows that are not.
TEST(Gather, LargeResults) {
  constexpr int64_t kParams = 301;
  constexpr int64_t kIndices = 13'400;
  for (int64_t row : {1024, 1021}) {
    Tensor params(DType::kInt32, Shape({kParams, row}));
    for (int64_t i = 0; i < params.num_elements(); ++i) params.data<int32_t>()[i] = static_cast<int32_t>(i);
    Tensor indices(DType::kInt32, Shape({kIndices}));
    for (int64_t i = 0; i < kIndices; ++i) indices.data<int32_t>()[i] = static_cast<int32_t>(i * 7919 % kParams);
    NodeRunner runner;
    auto y = runner.Run("GatherV2", {}, {params, indices, Tensor::Scalar<int32_t>(0)});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    for (int64_t i = 0; i < kIndices; ++i) {
      const int32_t* from = params.data<int32_t>() + indices.data<int32_t>()[i] * row;
      ASSERT_TRUE(std::equal(from, from + row, (*y)[0].data<int32_t>() + i * row)) << "row " << i;
    }
  }
}

}  // namespace
}  // namespace dfrun
