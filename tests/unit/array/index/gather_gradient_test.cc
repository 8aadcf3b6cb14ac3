// Gradients of gathered rows stay sparse. Their values are checked with numeric derivatives elsewhere.
#include <gtest/gtest.h>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

GradientValue GradientOf(const Shape& params, PartialShape indices, int32_t axis) {
  GraphMaker m;
  const Output x = m.Const("params", Tensor(DType::kFloat, params));
  const Output i = m.Add("indices", "Placeholder", {}, {{"dtype", DType::kInt32}, {"shape", std::move(indices)}});
  const Output y = m.Add("y", "GatherV2", {x, i, m.Const("axis", Tensor::Scalar<int32_t>(axis))});
  Result<std::vector<GradientValue>> gradients =
      AddGradients(m.graph, std::vector<Output>{y}, std::vector<Output>{x}, {});
  EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
  return gradients.ok() ? (*gradients)[0] : GradientValue();
}

TEST(GatherGradient, RowsAreSparse) {
  EXPECT_TRUE(GradientOf({1000, 64}, {32}, 0).is_sparse);
  EXPECT_TRUE(GradientOf({7}, {3, 2}, 0).is_sparse);
  EXPECT_TRUE(GradientOf({1000, 64}, {PartialShape::kUnknown}, 0).is_sparse);
}

TEST(GatherGradient, OtherAxesAreDense) {
  EXPECT_FALSE(GradientOf({1000, 64}, {32}, 1).is_sparse);
  EXPECT_FALSE(GradientOf({5, 6, 7}, {32}, 2).is_sparse);
  EXPECT_FALSE(GradientOf({1000, 64}, {PartialShape::kUnknown}, 1).is_sparse);
}

TEST(GatherGradient, WhereTheShapesLeaveTheAxisOpenItIsDense) {
  EXPECT_FALSE(GradientOf({8, 8}, {8}, 0).is_sparse);
}

}  // namespace
}  // namespace dfrun
