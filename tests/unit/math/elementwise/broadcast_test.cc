#include "kernels/math/elementwise/broadcast.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dfrun {
namespace {

BroadcastPlan Plan(std::initializer_list<const Shape*> shapes, Shape* output = nullptr) {
  BroadcastPlan plan;
  Shape shape;
  const Status status = PlanBroadcast(shapes, plan, shape);
  EXPECT_TRUE(status.ok()) << status.ToString();
  if (output != nullptr) *output = shape;
  return plan;
}

TEST(Broadcast, SameShapesAreOneDimension) {
  const Shape a({2, 3, 4});
  const BroadcastPlan plan = Plan({&a, &a});
  EXPECT_EQ(plan.rank, 1);
  EXPECT_EQ(plan.dims[0], 24);
  EXPECT_EQ(plan.strides[0][0], 1);
  EXPECT_EQ(plan.strides[1][0], 1);
}

TEST(Broadcast, AScalarRepeats) {
  const Shape a({2, 3});
  const Shape b = {};
  const BroadcastPlan plan = Plan({&a, &b});
  EXPECT_EQ(plan.rank, 1);
  EXPECT_EQ(plan.strides[0][0], 1);
  EXPECT_EQ(plan.strides[1][0], 0);
}

TEST(Broadcast, RowsAndColumnsAreTwoDimensions) {
  const Shape a({2, 3, 4, 5});
  const Shape row({4, 5});
  const BroadcastPlan rows = Plan({&a, &row});
  EXPECT_EQ(rows.rank, 2);
  EXPECT_EQ(rows.dims[0], 6);
  EXPECT_EQ(rows.dims[1], 20);
  EXPECT_EQ(rows.strides[1][0], 0);
  const Shape column({2, 3, 1, 1});
  const BroadcastPlan columns = Plan({&a, &column});
  EXPECT_EQ(columns.rank, 2);
  EXPECT_EQ(columns.strides[1][0], 1);
  EXPECT_EQ(columns.strides[1][1], 0);
}

TEST(Broadcast, ScalarsAndEmptyTensorsHaveAPlan) {
  const Shape scalar = {};
  Shape output;
  EXPECT_EQ(Plan({&scalar, &scalar}, &output).count, 1);
  EXPECT_EQ(output.rank(), 0);
  const Shape empty({0, 3});
  const Shape row({1, 3});
  EXPECT_EQ(Plan({&empty, &row}, &output).count, 0);
  EXPECT_EQ(output, empty);
}

TEST(Broadcast, RefusesShapesThatDoNotFit) {
  const Shape a({2, 3});
  const Shape b({2, 4});
  BroadcastPlan plan;
  Shape output;
  EXPECT_EQ(PlanBroadcast({&a, &b}, plan, output).code(), Code::kInvalidArgument);
  const Shape wide({1, int64_t{1} << 40});
  const Shape tall({int64_t{1} << 40, 1});
  EXPECT_EQ(PlanBroadcast({&wide, &tall}, plan, output).code(), Code::kInvalidArgument);
}

TEST(Broadcast, RefusesMoreDimensionsThanAPlanHolds) {
  std::vector<int64_t> a;
  std::vector<int64_t> b;
  for (int i = 0; i < 9; ++i) {
    a.push_back(i % 2 == 0 ? 2 : 1);
    b.push_back(i % 2 == 0 ? 1 : 2);
  }
  const Shape x{std::span<const int64_t>(a)};
  const Shape y{std::span<const int64_t>(b)};
  BroadcastPlan plan;
  Shape output;
  EXPECT_EQ(PlanBroadcast({&x, &y}, plan, output).code(), Code::kUnimplemented);
}

// The element of an operand that an element of the output reads, from the definition of broadcasting.
int64_t ReadElement(const Shape& operand, const Shape& output, int64_t index) {
  int64_t offset = 0;
  int64_t stride = 1;
  for (int d = output.rank() - 1; d >= 0; --d) {
    const int64_t at = index % output.dim(d);
    index /= output.dim(d);
    const int mine = d - (output.rank() - operand.rank());
    if (mine < 0) break;
    if (operand.dim(mine) != 1) offset += at * stride;
    stride *= operand.dim(mine);
  }
  return offset;
}

TEST(Broadcast, RunsCoverEveryElementAsTheDefinitionSays) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int rank = static_cast<int>(random() % 5);
    std::vector<std::vector<int64_t>> dims(3);
    for (int d = 0; d < rank; ++d) {
      const auto size = static_cast<int64_t>(1 + random() % 4);
      for (std::vector<int64_t>& operand : dims) operand.push_back(random() % 3 == 0 ? 1 : size);
    }
    for (std::vector<int64_t>& operand : dims) operand.erase(operand.begin(), operand.begin() + random() % (rank + 1));
    const Shape a{std::span<const int64_t>(dims[0])};
    const Shape b{std::span<const int64_t>(dims[1])};
    const Shape c{std::span<const int64_t>(dims[2])};
    Shape output;
    const BroadcastPlan plan = Plan({&a, &b, &c}, &output);
    const auto begin = static_cast<int64_t>(random() % plan.count);
    int64_t next = begin;
    ForEachRun(plan, begin, plan.count, [&](int64_t at, const int64_t* offsets, int64_t n) {
      ASSERT_EQ(at, next);
      for (int64_t i = 0; i < n; ++i) {
        const Shape* operands[] = {&a, &b, &c};
        for (int k = 0; k < 3; ++k) {
          const int64_t expected = ReadElement(*operands[k], output, at + i);
          ASSERT_EQ(offsets[k] + i * plan.strides[k][plan.rank - 1], expected);
          ASSERT_EQ(OperandOffset(plan, k, at + i), expected);
        }
      }
      next += n;
    });
    EXPECT_EQ(next, plan.count);
  }
}

}  // namespace
}  // namespace dfrun
