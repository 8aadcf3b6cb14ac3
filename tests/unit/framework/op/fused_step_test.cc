#include "src/framework/op/fused_step.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

TEST(FusedStepTest, AreReadAsTheyArePrinted) {
  for (const char* text : {"Neg 0", "Mul 0 12", "AddN 3 1 2 0"}) {
    const std::optional<FusedStep> step = ParseFusedStep(text);
    ASSERT_TRUE(step) << text;
    EXPECT_EQ(PrintFusedStep(*step), text);
  }
  EXPECT_EQ(ParseFusedStep("AddN 3 1 2 0")->operands, (std::vector<int>{3, 1, 2, 0}));
}

TEST(FusedStepTest, OperandsAreNumbersBehindOneSpaceEach) {
  for (const char* text : {"Mul 0  1", "Mul 0 ", "Mul -1 0", "Mul x 0", "Mul 0,1", "Mul 99999999999 0"})
    EXPECT_FALSE(ParseFusedStep(text)) << text;
  EXPECT_TRUE(ParseFusedStep("Mul")->operands.empty());
}

}  // namespace
}  // namespace dfrun
