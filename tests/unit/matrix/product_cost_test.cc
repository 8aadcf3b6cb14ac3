#include "kernels/matrix/product_cost.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/node_costs.h"

namespace dfrun {
namespace {

TEST(ProductCostTest, OpsThatFollowInTheNodeCount) {
  testing::NodeCosts costs;
  const AttrMap bias_relu = {{"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}}};
  const std::vector<Output> inputs = {costs.Floats({3, 4}), costs.Floats({4, 5}), costs.Floats({5})};
  EXPECT_EQ(costs.Of("_FusedMatMul", inputs, bias_relu), (OpCost{120 + 2 * 15, 48 + 80 + 20, 60}));
}

TEST(ProductCostTest, SumsOfProducts) {
  testing::NodeCosts costs;
  const std::vector<Output> two = {costs.Floats({3, 4}), costs.Floats({3, 4}), costs.Floats({4, 5}),
                                   costs.Floats({4, 5})};
  EXPECT_EQ(costs.FlopsOf("_MatMulSum", two), 240);
  const Output variable = costs.Add("VarHandleOp", {}, {{"shape", PartialShape({4, 5})}, {"dtype", DType::kFloat}});
  const std::vector<Output> descent = {variable, costs.Floats(PartialShape::Scalar()), costs.Floats({3, 4}),
                                       costs.Floats({3, 5})};
  // The product and its sum with the variable; alpha, both operands and the variable are read.
  EXPECT_EQ(costs.Of("_MatMulResourceApplyGradientDescent", descent, {{"transpose_a", true}}),
            (OpCost{120 + 2 * 20, 4 + 48 + 60 + 80, 80}));
}

TEST(ProductCostTest, PackedOperandsCountAsTheMatrixThatTheyHold) {
  testing::NodeCosts costs;
  const Output panels = costs.Add("_PackWeights", {costs.Floats({4, 5})});
  EXPECT_EQ(costs.Of("_MatMulPacked", {costs.Floats({3, 4}), panels}, {{"columns", 5}}), (OpCost{120, 48 + 80, 60}));
}

}  // namespace
}  // namespace dfrun
