#include "src/plan/device_loads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "src/plan/pass_time.h"
#include "src/plan/placement_cost.h"
#include "src/plan/search_energy.h"
#include "tests/unit/plan/random_problem.h"

namespace dfrun {
namespace {

constexpr double kRounding = 1e-9;  // all numbers are whole, so that only the sums' order could round

class DeviceLoadsTest : public testing::TestWithParam<PlacementObjective> {};

// Thousands of random moves: what was updated is what is computed anew, and what the definitions say.
TEST_P(DeviceLoadsTest, MovesKeepTheLoads) {
  const PlacementObjective objective = GetParam();
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const PlacementProblem problem = RandomProblem({20, 50, 3, 2, 10}, seed);
    const int devices = problem.num_devices(objective);
    std::mt19937_64 random(seed);
    Placement placement(problem.num_groups(), devices - 1);
    DeviceLoads loads(problem, placement, devices);
    SearchEnergy meter(objective);
    for (int move = 0; move < 2000; ++move) {
      const int group = static_cast<int>(random() % problem.num_groups());
      const int device = static_cast<int>(random() % devices);
      placement[group] = problem.Runs(group, device) ? device : devices - 1;
      loads.Move(group, placement[group]);
      const DeviceLoads anew(problem, placement, devices);
      for (int d = 0; d < devices; ++d) {
        ASSERT_NEAR(loads.load(d), anew.load(d), kRounding);
        ASSERT_NEAR(loads.bytes(d), anew.bytes(d), kRounding);
      }
      const double cost = CostByDefinition(problem, objective, placement);
      if (std::isinf(cost)) {
        ASSERT_TRUE(std::isinf(meter.Cost(loads)));
      } else {
        ASSERT_NEAR(meter.Cost(loads), cost, kRounding);
        ASSERT_NEAR(PlacementCost(problem, objective, placement).value(), cost, kRounding);
      }
    }
    EXPECT_EQ(loads.placement(), placement);
  }
}

INSTANTIATE_TEST_SUITE_P(Objectives, DeviceLoadsTest,
                         testing::Values(PlacementObjective::kThroughput, PlacementObjective::kLatency));

// a and b on accelerator 0, c on accelerator 1, d on the CPU; a is read by b, c and d.
TEST(DeviceLoadsTest, AnOutputIsPaidOnceASide) {
  std::vector<PlacementNode> nodes(4);
  for (int v = 0; v < 4; ++v) {
    nodes[v].group = v;
    nodes[v].accelerator_time = 1;
    nodes[v].cpu_time = 7;
  }
  nodes[0].output_cost = 10;
  const auto problem = PlacementProblem::Create(nodes, {{0, 1}, {0, 2}, {0, 3}}, {2, 1, 0}).value();
  const DeviceLoads loads(problem, {0, 0, 1, 2}, 3);
  EXPECT_DOUBLE_EQ(loads.load(0), 12);
  EXPECT_DOUBLE_EQ(loads.load(1), 11);
  EXPECT_DOUBLE_EQ(loads.load(2), 7);
  EXPECT_DOUBLE_EQ(PassTime().Of(loads), 23);
}

TEST(PassTimeTest, APathThatComesBackIsNoPass) {
  std::vector<PlacementNode> nodes(3);
  for (int v = 0; v < 3; ++v) nodes[v].group = v;
  const auto problem = PlacementProblem::Create(nodes, {{0, 1}, {1, 2}}, {2, 1, 0}).value();
  EXPECT_TRUE(std::isinf(PassTime().Of(DeviceLoads(problem, {0, 1, 0}, 3))));
  EXPECT_TRUE(std::isinf(PassTime().Of(DeviceLoads(problem, {0, 2, 0}, 3))));
  EXPECT_FALSE(std::isinf(PassTime().Of(DeviceLoads(problem, {2, 0, 2}, 3))));
}

}  // namespace
}  // namespace dfrun
