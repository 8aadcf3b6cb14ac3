#include "src/plan/segment_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "src/plan/group_graph.h"
#include "tests/unit/plan/random_problem.h"

namespace dfrun {
namespace {

// The least cost over all ways to give each segment of the order an accelerator of its own.
double BestSplit(const PlacementProblem& problem, const std::vector<int>& order) {
  double least = std::numeric_limits<double>::infinity();
  const int cuts = static_cast<int>(order.size()) - 1;
  for (int mask = 0; mask < 1 << cuts; ++mask) {
    if (__builtin_popcount(mask) >= problem.devices().accelerators) continue;
    Placement placement(problem.num_groups());
    int device = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      placement[order[i]] = device;
      device += mask >> i & 1;
    }
    least = std::min(least, CostByDefinition(problem, PlacementObjective::kThroughput, placement));
  }
  return least;
}

TEST(SegmentSplitTest, NoOtherCutIsBetter) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const PlacementProblem problem = RandomProblem({9, 12, 3, 0, 0.7}, seed + 50);
    std::vector<int> order(problem.num_groups());
    std::iota(order.begin(), order.end(), 0);
    const auto split = SplitOrder(problem, PlacementObjective::kThroughput, order);
    const double best = BestSplit(problem, order);
    ASSERT_EQ(split.has_value(), best < std::numeric_limits<double>::infinity()) << seed;
    if (!split) continue;
    EXPECT_DOUBLE_EQ(CostByDefinition(problem, PlacementObjective::kThroughput, *split), best) << seed;
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

TEST(GroupGraphTest, OrdersFollowTheEdges) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const PlacementProblem problem = RandomProblem({30, 30, 2, 1, 1}, seed);
    const GroupGraph graph(problem);
    for (const std::vector<int>& order : {graph.DepthOrder(false), graph.DepthOrder(true), graph.LevelOrder()}) {
      ASSERT_EQ(order.size(), 30U);
      std::vector<int> place(30, -1);
      for (int i = 0; i < 30; ++i) place[order[i]] = i;
      EXPECT_EQ(std::count(place.begin(), place.end(), -1), 0);
      for (int g = 0; g < 30; ++g) {
        for (const int to : graph.successors(g)) EXPECT_LT(place[g], place[to]);
      }
    }
  }
}

}  // namespace
}  // namespace dfrun
