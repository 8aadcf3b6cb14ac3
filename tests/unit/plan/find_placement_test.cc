#include "src/plan/find_placement.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "src/plan/path_bound.h"
#include "tests/unit/plan/random_problem.h"

namespace dfrun {
namespace {

constexpr double kRounding = 1e-9;  // costs are sums of some ten small whole numbers

FindPlacementOptions SmallPlan(PlacementObjective objective) {
  return {objective, 1, 7};
}

// The objective, the groups, the accelerators and the CPUs.
class FindPlacementTest : public testing::TestWithParam<std::tuple<PlacementObjective, int, int, int>> {};

TEST_P(FindPlacementTest, TheOptimumIsBetweenTheBoundAndTheCost) {
  const auto [objective, groups, accelerators, cpus] = GetParam();
  int optimal = 0;
  const int problems = groups > 9 ? 2 : 20;
  for (int seed = 0; seed < problems; ++seed) {
    RandomProblemOptions options{groups, groups + seed % 5, accelerators, cpus, 0.3 + 0.1 * (seed % 6)};
    const PlacementProblem problem = RandomProblem(options, 100 * groups + seed);
    const double optimum = OptimumByEnumeration(problem, objective);
    const Result<FoundPlacement> plan = FindPlacement(problem, SmallPlan(objective));
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    EXPECT_EQ(plan->cost, CostByDefinition(problem, objective, plan->placement)) << "seed " << seed;
    EXPECT_LE(plan->bound.cost, optimum * (1 + kRounding)) << "seed " << seed << ": " << plan->bound.reason;
    EXPECT_GE(plan->cost, optimum * (1 - kRounding)) << "seed " << seed;
    EXPECT_LE(plan->cost, optimum * 1.05) << "seed " << seed;
    optimal += plan->cost <= optimum * (1 + kRounding) ? 1 : 0;
  }
  EXPECT_GE(optimal, problems - 1);
}

INSTANTIATE_TEST_SUITE_P(Small, FindPlacementTest,
                         testing::Combine(testing::Values(PlacementObjective::kThroughput,
                                                          PlacementObjective::kLatency),
                                          testing::Values(5, 7, 8), testing::Values(2), testing::Values(1)));
INSTANTIATE_TEST_SUITE_P(MoreAccelerators, FindPlacementTest,
                         testing::Values(std::tuple(PlacementObjective::kLatency, 6, 3, 1),
                                         std::tuple(PlacementObjective::kThroughput, 6, 3, 1),
                                         std::tuple(PlacementObjective::kThroughput, 6, 1, 2),
                                         std::tuple(PlacementObjective::kThroughput, 6, 0, 3),
                                         std::tuple(PlacementObjective::kLatency, 6, 0, 3)));
INSTANTIATE_TEST_SUITE_P(TwelveGroups, FindPlacementTest,
                         testing::Values(std::tuple(PlacementObjective::kThroughput, 12, 2, 1),
                                         std::tuple(PlacementObjective::kLatency, 12, 2, 1)));

// Bounds alone, on many more problems.
TEST(LowerBoundTest, NoPlacementIsBelow) {
  for (int seed = 0; seed < 400; ++seed) {
    const RandomProblemOptions options{6, 6 + seed % 6, 1 + seed % 3, 1, 0.15 + 0.05 * (seed % 16)};
    const PlacementProblem problem = RandomProblem(options, 5000 + seed);
    for (const auto objective : {PlacementObjective::kThroughput, PlacementObjective::kLatency}) {
      const PlacementBound bound = FindLowerBound(problem, objective);
      EXPECT_LE(bound.cost, OptimumByEnumeration(problem, objective) * (1 + kRounding)) << seed << bound.reason;
    }
  }
}

TEST(FindPlacementTest, EqualSeedsGiveEqualPlacements) {
  const PlacementProblem problem = RandomProblem({40, 80, 4, 2, 0.4}, 3);
  for (const auto objective : {PlacementObjective::kThroughput, PlacementObjective::kLatency}) {
    const Result<FoundPlacement> once = FindPlacement(problem, SmallPlan(objective));
    const Result<FoundPlacement> again = FindPlacement(problem, SmallPlan(objective));
    ASSERT_TRUE(once.ok() && again.ok());
    EXPECT_EQ(once->placement, again->placement);
    EXPECT_EQ(once->cost, again->cost);
  }
}

TEST(FindPlacementTest, MoreEffortIsNeverWorse) {
  const PlacementProblem problem = RandomProblem({30, 60, 4, 1, 0.4}, 5);
  for (const auto objective : {PlacementObjective::kThroughput, PlacementObjective::kLatency}) {
    double before = std::numeric_limits<double>::infinity();
    for (const int effort : {1, 2, 3}) {
      const double cost = FindPlacement(problem, {objective, effort, 7})->cost;
      EXPECT_LE(cost, before);
      before = cost;
    }
  }
}

PlacementNode MakeNode(const std::string& name, int group, double time, double bytes, double output_cost) {
  PlacementNode node;
  node.name = name;
  node.group = group;
  node.accelerator_time = time;
  node.cpu_time = 10 * time;
  node.bytes = bytes;
  node.output_cost = output_cost;
  return node;
}

// A chain of four nodes of 1 s, of which two fit an accelerator. The dear output must not cross: 1 | 2 3 | 4, and each
// cut costs 2 x 1 s.
TEST(PathBoundTest, AChainIsCutWhereItIsCheap) {
  const std::vector<PlacementNode> nodes = {MakeNode("a", 0, 1, 1, 1), MakeNode("b", 1, 1, 1, 5),
                                            MakeNode("c", 2, 1, 1, 1), MakeNode("d", 3, 1, 1, 0)};
  const auto problem = PlacementProblem::Create(nodes, {{0, 1}, {1, 2}, {2, 3}}, {3, 1, 2}).value();
  EXPECT_DOUBLE_EQ(PathBound(problem, NodeReach(problem), {0, 1, 2, 3}), 8);
  EXPECT_DOUBLE_EQ(FindPlacement(problem, SmallPlan(PlacementObjective::kLatency))->cost, 8);
}

// Two nodes of 30 s on two accelerators and a CPU that takes ten times as long: half a group goes to each accelerator.
TEST(LowerBoundTest, AllWorkOnAllDevices) {
  const std::vector<PlacementNode> nodes = {MakeNode("a", 0, 30, 1, 0), MakeNode("b", 1, 33, 1, 0)};
  const auto problem = PlacementProblem::Create(nodes, {}, {3, 0, 2}).value();
  EXPECT_DOUBLE_EQ(FindLowerBound(problem, PlacementObjective::kThroughput).cost, 33);
  const auto fractional = PlacementProblem::Create(nodes, {}, {2, 1, 2}).value();
  EXPECT_NEAR(FindLowerBound(fractional, PlacementObjective::kThroughput).cost, 33, 1e-9);
  const auto single = PlacementProblem::Create(nodes, {}, {1, 1, 2}).value();
  EXPECT_NEAR(FindLowerBound(single, PlacementObjective::kThroughput).cost, 63 / 1.1, 1e-6);
}

TEST(FindPlacementTest, TooLittleMemoryIsAnError) {
  const std::vector<PlacementNode> nodes = {MakeNode("a", 0, 1, 2, 0), MakeNode("b", 1, 1, 2, 0)};
  const auto problem = PlacementProblem::Create(nodes, {}, {1, 0, 3}).value();
  const Result<FoundPlacement> plan = FindPlacement(problem, SmallPlan(PlacementObjective::kThroughput));
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), Code::kInvalidArgument);
}

TEST(FindPlacementTest, APassThroughACycleIsAnError) {
  const std::vector<PlacementNode> nodes = {MakeNode("a", 0, 1, 1, 0), MakeNode("b", 1, 1, 1, 0)};
  const auto problem = PlacementProblem::Create(nodes, {{0, 1}, {1, 0}}, {1, 1, 3}).value();
  EXPECT_FALSE(FindPlacement(problem, SmallPlan(PlacementObjective::kLatency)).ok());
  EXPECT_DOUBLE_EQ(FindPlacement(problem, SmallPlan(PlacementObjective::kThroughput))->cost, 2);
}

}  // namespace
}  // namespace dfrun
