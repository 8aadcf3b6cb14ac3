// Unknown sizes; what is known is in the golden cases.
#include "kernels/array/move/strided_slice_plan.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

using Ints = std::vector<int64_t>;
constexpr int64_t kUnknown = PartialShape::kUnknown;

Result<StridedSlicePlan> KnownSlice(const PartialShape& input, const Ints& begin, const Ints& end, const Ints& strides,
                                    const StridedSliceMasks& masks) {
  return PlanStridedSlice(input, &begin, &end, strides, masks);
}

TEST(StridedSlicePlan, UnknownSizesStayUnknown) {
  StridedSliceMasks masks;
  masks.shrink_axis = 2;
  const Result<StridedSlicePlan> plan = KnownSlice({kUnknown, kUnknown, 4}, {0, 5}, {2, 6}, {1, 1}, masks);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(plan->output, PartialShape({kUnknown, 4}));
}

TEST(StridedSlicePlan, TheEllipsisTakesWhatIsLeft) {
  StridedSliceMasks masks;
  masks.ellipsis = 1;
  masks.new_axis = 2;
  const Result<StridedSlicePlan> plan = KnownSlice({2, kUnknown, 4}, {0, 0, 1}, {0, 0, 3}, {1, 1, 1}, masks);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(plan->output, PartialShape({2, kUnknown, 1, 2}));
}

TEST(StridedSlicePlan, WhereBoundsAreUnknownSizesAreButForMaskedDimensions) {
  StridedSliceMasks masks;
  masks.begin = 2;
  masks.end = 2;
  const Result<StridedSlicePlan> plan = PlanStridedSlice({3, 4, 5}, nullptr, nullptr, {1, 2}, masks);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(plan->output, PartialShape({kUnknown, 2, 5}));
}

TEST(StridedSlicePlan, ExtremeBoundsAreNoTrap) {
  const Result<StridedSlicePlan> plan = KnownSlice({5}, {INT64_MIN}, {INT64_MAX}, {INT64_MAX}, StridedSliceMasks());
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(plan->output, PartialShape({1}));
  const Result<StridedSlicePlan> back = KnownSlice({5}, {INT64_MAX}, {INT64_MIN}, {INT64_MIN}, StridedSliceMasks());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->output, PartialShape({1}));
}

}  // namespace
}  // namespace dfrun
