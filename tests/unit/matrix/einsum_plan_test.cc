// The costs of an einsum besides its product; golden cases check its values.
#include "kernels/matrix/einsum_plan.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

EinsumPlan PlanOf(const char* text, const std::vector<Shape>& shapes) {
  const Result<EinsumEquation> equation = EinsumEquation::Parse(text);
  EXPECT_TRUE(equation.ok()) << equation.status().ToString();
  Result<EinsumPlan> plan = PlanEinsum(*equation, shapes);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return plan.ok() ? *plan : EinsumPlan();
}

TEST(EinsumPlan, ProductsOfMatricesInAnyOrientationNeedNoCopy) {
  for (const auto& [text, a, b, m, n] :
       std::vector<std::tuple<const char*, Shape, Shape, int64_t, int64_t>>{{"ij,jk->ik", {2, 3}, {3, 4}, 2, 4},
                                                                            {"ji,jk->ik", {3, 2}, {3, 4}, 2, 4},
                                                                            {"ij,kj->ik", {2, 3}, {4, 3}, 2, 4},
                                                                            {"ij,jk->ki", {2, 3}, {3, 4}, 4, 2},
                                                                            {"ji,kj->ki", {3, 2}, {4, 3}, 4, 2}}) {
    const EinsumPlan plan = PlanOf(text, {a, b});
    EXPECT_FALSE(plan.operands[0].copied) << text;
    EXPECT_FALSE(plan.operands[1].copied) << text;
    EXPECT_TRUE(plan.in_order) << text;
    EXPECT_EQ(plan.batch, 1) << text;
    EXPECT_EQ(plan.product.m, m) << text;
    EXPECT_EQ(plan.product.k, 3) << text;
    EXPECT_EQ(plan.product.n, n) << text;
  }
}

TEST(EinsumPlan, ABatchOfOneSideIsRowsOfOneProduct) {
  for (const char* text : {"bij,jk->bik", "...ij,jk->...ik"}) {
    const EinsumPlan plan = PlanOf(text, {{5, 2, 3}, {3, 4}});
    EXPECT_EQ(plan.batch, 1) << text;
    EXPECT_EQ(plan.product.m, 10) << text;
    EXPECT_TRUE(plan.in_order) << text;
  }
}

TEST(EinsumPlan, AttentionScoresCopyEachOperandOnce) {
  const EinsumPlan plan = PlanOf("bqhd,bkhd->bhqk", {{2, 5, 3, 4}, {2, 6, 3, 4}});
  EXPECT_EQ(plan.batch, 6);
  EXPECT_EQ(plan.product.m, 5);
  EXPECT_EQ(plan.product.k, 4);
  EXPECT_EQ(plan.product.n, 6);
  EXPECT_TRUE(plan.operands[0].copied);
  EXPECT_TRUE(plan.operands[1].copied);
  EXPECT_TRUE(plan.in_order);
}

TEST(EinsumPlan, SumsOfOneOperandAreDoneBeforeTheProduct) {
  const EinsumPlan plan = PlanOf("abc,cd->ad", {{2, 3, 4}, {4, 5}});
  EXPECT_FALSE(plan.operands[0].copied);
  EXPECT_TRUE(plan.operands[0].is_reduced);
  EXPECT_EQ(plan.operands[0].reduced, (std::vector<bool>{false, true, false}));
  EXPECT_FALSE(plan.operands[1].is_reduced);
  EXPECT_EQ(plan.product.m, 2);
  EXPECT_EQ(plan.product.k, 4);
}

TEST(EinsumPlan, OutputsBeyondAnyTensorAreRefused) {
  const int64_t wide = int64_t{1} << 32;
  const Result<EinsumEquation> equation = EinsumEquation::Parse("i,j->iijj");
  ASSERT_TRUE(equation.ok());
  EXPECT_EQ(PlanEinsum(*equation, {{wide}, {1}}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
