#include "src/plan/segment_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "src/plan/device_loads.h"
#include "src/plan/min_cut.h"
#include "tests/unit/plan/random_problem.h"

namespace dfrun {
namespace {

// The least load over all sets of groups that have the members, none of the outside, and fit.
double LeastLoadByEnumeration(const PlacementProblem& problem, const PathSegment& segment,
                              const std::vector<bool>& outside) {
  double least = std::numeric_limits<double>::infinity();
  for (int mask = 0; mask < 1 << problem.num_groups(); ++mask) {
    Placement placement(problem.num_groups());
    for (int g = 0; g < problem.num_groups(); ++g) placement[g] = mask >> g & 1 ? 0 : 1;
    bool allowed = true;
    for (int v = 0; v < problem.num_nodes(); ++v) {
      const bool inside = placement[problem.nodes()[v].group] == 0;
      if (inside ? outside[v] || !problem.nodes()[v].runs_on_accelerator : segment.Has(v)) allowed = false;
    }
    const DeviceLoads loads(problem, placement, 2);
    if (allowed && loads.Fits(0)) least = std::min(least, loads.load(0));
  }
  return least;
}

TEST(SegmentLoadTest, NoSetThatFitsIsBelow) {
  int equal = 0;
  int compared = 0;
  for (int seed = 0; seed < 300; ++seed) {
    const PlacementProblem problem = RandomProblem({9, 14, 1, 1, seed % 2 == 0 ? 10 : 0.5}, 900 + seed);
    const NodeReach reach(problem);
    std::mt19937_64 random(seed);
    PathSegment segment(problem, reach);
    segment.Add(static_cast<int>(random() % problem.num_nodes()));
    if (!segment.RunsOnAccelerator()) continue;
    std::vector<bool> outside(problem.num_nodes());
    for (int v = 0; v < problem.num_nodes(); ++v) outside[v] = !segment.Has(v) && random() % 4 == 0;
    const double least = LeastLoadByEnumeration(problem, segment, outside);
    const double bound = LeastLoad(problem, segment, outside);
    EXPECT_LE(bound, least + 1e-9) << seed;
    // Without a bound of the memory a least cut is exact.
    const bool any_fits = seed % 2 == 0;
    EXPECT_GE(bound, any_fits ? least - 1e-9 : 0) << seed;
    equal += bound >= least - 1e-9 ? 1 : 0;
    ++compared;
  }
  EXPECT_GT(compared, 150);
  EXPECT_GT(equal, compared * 9 / 10);
}

TEST(MinCutTest, TheLeastCutOfRandomNetworks) {
  for (int seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    constexpr int kVertices = 8;
    double capacity[kVertices][kVertices] = {};
    MinCut network;
    for (int v = 2; v < kVertices; ++v) EXPECT_EQ(network.AddVertex(), v);
    for (int e = 0; e < 20; ++e) {
      const int from = static_cast<int>(random() % kVertices);
      const int to = static_cast<int>(random() % kVertices);
      const double more = static_cast<double>(random() % 10);
      if (from == to) continue;
      capacity[from][to] += more;
      network.AddEdge(from, to, more);
    }
    double least = std::numeric_limits<double>::infinity();
    for (int mask = 0; mask < 1 << kVertices; ++mask) {
      if ((mask & 1) == 0 || (mask & 2) != 0) continue;
      double cut = 0;
      for (int from = 0; from < kVertices; ++from) {
        for (int to = 0; to < kVertices; ++to) {
          if ((mask >> from & 1) != 0 && (mask >> to & 1) == 0) cut += capacity[from][to];
        }
      }
      least = std::min(least, cut);
    }
    EXPECT_DOUBLE_EQ(network.Solve(), least) << seed;
    EXPECT_TRUE(network.OnSourceSide(MinCut::kSource));
    EXPECT_FALSE(network.OnSourceSide(MinCut::kSink));
  }
}

}  // namespace
}  // namespace dfrun
