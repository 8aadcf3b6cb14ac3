// _PackColumns has the bits of the Pack of Slices.
#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

AttrMap AttrsOf(DType dtype, int64_t matrices, int64_t axis, int64_t first, int64_t columns) {
  return {{"T", dtype}, {"N", matrices}, {"axis", axis}, {"first", first}, {"columns", columns}};
}

template <class T>
void GivesTheBitsOfPackedSlices(int64_t matrices, int64_t rows, int64_t width, int64_t first, int64_t columns) {
  NodeRunner runner;
  std::vector<testing::Input> wholes;
  std::vector<testing::Input> slices;
  Tensor begin(DType::kInt64, Shape({2}));
  Tensor size(DType::kInt64, Shape({2}));
  begin.data<int64_t>()[0] = 0;
  begin.data<int64_t>()[1] = first;
  size.data<int64_t>()[0] = rows;
  size.data<int64_t>()[1] = columns;
  for (int64_t i = 0; i < matrices; ++i) {
    const Tensor whole = testing::RandomNormal<T>(Shape({rows, width}), static_cast<uint32_t>(i + 1));
    wholes.emplace_back(whole);
    Result<std::vector<Tensor>> slice =
        runner.Run("Slice", {{"T", DTypeOf<T>}, {"Index", DType::kInt64}}, {whole, begin, size});
    ASSERT_TRUE(slice.ok()) << slice.status().ToString();
    slices.emplace_back((*slice)[0]);
  }
  for (int64_t axis : {0, 1}) {
    Result<std::vector<Tensor>> expected =
        runner.Run("Pack", {{"T", DTypeOf<T>}, {"N", matrices}, {"axis", axis}}, slices);
    Result<std::vector<Tensor>> packed =
        runner.Run("_PackColumns", AttrsOf(DTypeOf<T>, matrices, axis, first, columns), wholes);
    ASSERT_TRUE(expected.ok() && packed.ok()) << packed.status().ToString();
    EXPECT_TRUE((*packed)[0].Identical((*expected)[0]))
        << matrices << " of " << rows << " x " << width << ", axis " << axis;
  }
}

TEST(PackColumns, GivesTheBitsOfPackedSlices) {
  GivesTheBitsOfPackedSlices<float>(3, 5, 40, 7, 20);
  GivesTheBitsOfPackedSlices<float>(1, 1, 1, 0, 1);
  GivesTheBitsOfPackedSlices<float>(20, 32, 512, 256, 256);  // more than a thread's part
  GivesTheBitsOfPackedSlices<double>(2, 9, 33, 0, 33);
  GivesTheBitsOfPackedSlices<bfloat16>(4, 6, 50, 49, 1);
  GivesTheBitsOfPackedSlices<float16>(4, 6, 50, 1, 18);
  GivesTheBitsOfPackedSlices<float>(2, 0, 8, 2, 3);
}

TEST(PackColumns, RefusesWhatDoesNotFit) {
  NodeRunner runner;
  const auto code = [&](const Tensor& a, const Tensor& b, int64_t axis, int64_t first, int64_t columns) {
    return runner.Run("_PackColumns", AttrsOf(DType::kFloat, 2, axis, first, columns), {a, b}).status().code();
  };
  const Tensor a = testing::RandomNormal<float>(Shape({4, 6}), 1);
  const Tensor b = testing::RandomNormal<float>(Shape({4, 6}), 2);
  EXPECT_EQ(code(a, b, 1, 2, 4), Code::kOk);
  EXPECT_EQ(code(a, b, 2, 2, 4), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b, 0, 2, 5), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b, 0, 7, 1), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b, 0, INT64_MAX, INT64_MAX), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b.Reshaped(Shape({6, 4})), 0, 0, 1), Code::kInvalidArgument);
  EXPECT_EQ(code(a.Reshaped(Shape({24})), b.Reshaped(Shape({24})), 0, 0, 1), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
