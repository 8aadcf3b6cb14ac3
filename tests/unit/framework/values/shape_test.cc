#include "src/framework/values/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace dfrun {
namespace {

TEST(ShapeTest, CreateRefusesHostileSizes) {
  const auto create = [](std::vector<int64_t> dims) { return Shape::Create(dims).status().code(); };
  EXPECT_EQ(create({2, 3}), Code::kOk);
  EXPECT_EQ(create({2, -1}), Code::kInvalidArgument);
  EXPECT_EQ(create({int64_t{1} << 32, int64_t{1} << 32}), Code::kInvalidArgument);
  EXPECT_EQ(create(std::vector<int64_t>(Shape::kMaxRank, 1)), Code::kOk);
  EXPECT_EQ(create(std::vector<int64_t>(Shape::kMaxRank + 1, 1)), Code::kInvalidArgument);
}

// Up to five sizes are inline, more are on the heap: every copy and move between the two.
TEST(ShapeTest, CopiesAndMovesOfInlineAndLongShapes) {
  const Shape kinds[] = {Shape(), Shape({2, 3}), Shape({1, 2, 3, 4, 5}), Shape({1, 2, 3, 4, 5, 6}),
                         Shape({7, 6, 5, 4, 3, 2, 1})};
  for (const Shape& from : kinds) {
    for (const Shape& before : kinds) {
      Shape copied = before;
      copied = from;
      EXPECT_EQ(copied, from);
      Shape source = from;
      Shape moved = before;
      moved = std::move(source);
      EXPECT_EQ(moved, from);
      const Shape constructed = std::move(moved);
      EXPECT_EQ(constructed, from);
    }
  }
}

TEST(ShapeTest, ElementsOfAShapeWithoutElements) {
  EXPECT_EQ(Shape({2, 0, 3}).num_elements(), 0);
}

TEST(PartialShapeTest, Compatibility) {
  const PartialShape unknown;
  const PartialShape any_by_3({-1, 3});
  EXPECT_TRUE(unknown.IsCompatibleWith(any_by_3));
  EXPECT_TRUE(any_by_3.IsCompatibleWith(PartialShape({2, -1})));
  EXPECT_FALSE(any_by_3.IsCompatibleWith(PartialShape({2, 4})));
  EXPECT_FALSE(any_by_3.IsCompatibleWith(PartialShape({3})));
  EXPECT_EQ(*any_by_3.Merge(PartialShape({2, -1})), PartialShape({2, 3}));
  EXPECT_EQ(*unknown.Merge(any_by_3), any_by_3);
  EXPECT_EQ(any_by_3.Merge(PartialShape({2, 4})).status().code(), Code::kInvalidArgument);
}

TEST(PartialShapeTest, ElementsAndText) {
  EXPECT_EQ(PartialShape({2, 3}).num_elements(), 6);
  EXPECT_EQ(PartialShape({2, -1}).num_elements(), PartialShape::kUnknown);
  EXPECT_EQ(PartialShape({std::numeric_limits<int64_t>::max(), 2}).num_elements(), PartialShape::kUnknown);
  EXPECT_EQ(PartialShape({std::numeric_limits<int64_t>::max(), 2}).ToShape().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(PartialShape({2, -1}).ToShape().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(PartialShape({-1, 3}).ToString(), "[?,3]");
  EXPECT_EQ(PartialShape().ToString(), "<unknown>");
}

}  // namespace
}  // namespace dfrun
