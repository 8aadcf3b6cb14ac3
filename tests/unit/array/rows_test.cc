// _Rows comes to a Slice of the first dimension.
#include <gtest/gtest.h>

#include <utility>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

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
