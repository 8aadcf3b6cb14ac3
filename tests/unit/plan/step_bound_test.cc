#include "src/plan/step_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/unit/plan/test_step.h"

namespace dfrun {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// A step of units of one task each, which wait for nothing unless told.
struct UnitStep {
  TestStep tasks{1};
  StepUnits units;

  int Add(std::vector<double> seconds, double bytes = 0, int rank = -1, const std::vector<int>& after = {}) {
    const double fastest_s = *std::min_element(seconds.begin(), seconds.end());
    const int number = tasks.Add(0, fastest_s, after);
    units.fastest_s.push_back(fastest_s);
    units.units.push_back({.seconds = std::move(seconds), .bytes = bytes, .rank = rank});
    units.unit_of.push_back(number);
    units.name_of = [](int task) { return "node_" + std::to_string(task); };
    return number;
  }
  PlacementBound Bound() const { return BoundOfStep(tasks.Build(), units); }
};

TEST(StepBound, WorkIsSplitAsTheFastestTypesAllow) {
  UnitStep step;
  step.units.classes = {{.devices = 1, .bytes = kNoLimit}, {.devices = 1, .bytes = kNoLimit}};
  for (int i = 0; i < 4; ++i) step.Add({4, 1});
  // A part x of the work on the other device takes as long as the rest on the host: x = (4 - x) 4.
  EXPECT_NEAR(WorkBound(step.units).cost, 16.0 / 5, 1e-9);
  EXPECT_EQ(WorkBound(step.units).reason, "all work on all devices");
}

TEST(StepBound, MemoryKeepsWorkOnTheHost) {
  UnitStep step;
  step.units.classes = {{.devices = 1, .bytes = kNoLimit}, {.devices = 1, .bytes = 1}};
  for (int i = 0; i < 4; ++i) step.Add({4, 1}, 1);
  EXPECT_NEAR(WorkBound(step.units).cost, 3 * 4, 1e-6);  // one unit fits
  EXPECT_EQ(WorkBound(step.units).reason, "all work on all devices, within their memory");
}

TEST(StepBound, AUnitIsOnOneDevice) {
  UnitStep step;
  step.units.classes = {{.devices = 8, .bytes = kNoLimit}};
  step.Add({1});
  step.Add({5});
  step.units.units[0].seconds = {6};  // both tasks are of it
  step.units.unit_of[1] = 0;
  EXPECT_EQ(UnitBound(step.units).cost, 6);
  const PlacementBound bound = step.Bound();
  EXPECT_EQ(bound.cost, 6);
  EXPECT_EQ(bound.reason, "the nodes that share a device with 'node_1'");
}

TEST(StepBound, AChainNamesItsEnds) {
  UnitStep step;
  step.units.classes = {{.devices = 8, .bytes = kNoLimit}};
  const int first = step.Add({2});
  const int second = step.Add({2}, 0, -1, {first});
  step.Add({2}, 0, -1, {second});
  step.Add({3});
  const PlacementBound bound = step.Bound();
  EXPECT_EQ(bound.cost, 6);
  EXPECT_EQ(bound.reason, "the longest chain of nodes that wait for each other, from 'node_0' to 'node_2'");
}

TEST(StepBound, TheLeastCutLeavesARank) {
  UnitStep step;
  step.units.classes = {{.devices = 2, .bytes = kNoLimit}};
  const int from = step.Add({0}, 0, 0);
  const int free = step.Add({0});
  const int to = step.Add({0}, 0, 1);
  const int other = step.Add({0}, 0, 1);
  step.units.values = {{.from = from, .bytes = 100, .readers = {free, other}},
                       {.from = free, .bytes = 40, .readers = {to}},
                       {.from = to, .bytes = 7, .readers = {free}}};
  step.units.leaving_bytes_per_s = 10;
  // The value of 100 bytes is read on the other rank in any case, and so is sent once.
  EXPECT_EQ(CutBound(step.units).cost, 10);
  step.units.values[0].readers = {free};
  EXPECT_EQ(CutBound(step.units).cost, 4);
  EXPECT_EQ(CutBound(step.units).reason, "the 40 bytes that must leave rank 0, which nodes are bound to");
  step.units.entering_bytes_per_s = 5;  // rank 1 gets the 40 bytes
  EXPECT_EQ(CutBound(step.units).cost, 8);
  EXPECT_EQ(CutBound(step.units).reason, "the 40 bytes that must come to rank 1, which nodes are bound to");
  step.units.units[from].rank = -1;
  EXPECT_EQ(CutBound(step.units).cost, 0);  // nothing keeps it from the other rank
}

// The least of the largest load over all placements of units on devices, within the memory of the second class.
double BestPlacement(const StepUnits& step) {
  const int hosts = step.classes[0].devices;
  const int devices = hosts + step.classes[1].devices;
  double best = kNoLimit;
  std::vector<int> at(step.units.size(), 0);
  for (bool ends = false; !ends;) {
    std::vector<double> load(static_cast<size_t>(devices), 0);
    double bytes = 0;
    for (size_t u = 0; u < at.size(); ++u) {
      load[at[u]] += step.units[u].seconds[at[u] < hosts ? 0 : 1];
      bytes += at[u] < hosts ? 0 : step.units[u].bytes;
    }
    if (bytes <= step.classes[1].bytes) best = std::min(best, *std::max_element(load.begin(), load.end()));
    size_t digit = 0;
    while (digit < at.size() && ++at[digit] == devices) at[digit++] = 0;
    ends = digit == at.size();
  }
  return best;
}

TEST(StepBound, NoPlacementIsBelow) {
  uint32_t state = 11;
  const auto below = [&](uint32_t n) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
  };
  int tight = 0;
  for (int round = 0; round < 100; ++round) {
    UnitStep step;
    step.units.classes = {{.devices = 1, .bytes = kNoLimit},
                          {.devices = 1 + static_cast<int>(below(2)), .bytes = 1.0 * below(12)}};
    for (int u = 0; u < 6; ++u) {
      const double other = below(5) == 0 ? kNoLimit : 1.0 + below(4);
      step.Add({2.0 + below(9), other}, 1.0 * below(4));
    }
    const double best = BestPlacement(step.units);
    const double bound = step.Bound().cost;
    EXPECT_LE(bound, best * (1 + 1e-9)) << "round " << round;
    tight += bound > 0.7 * best ? 1 : 0;
  }
  EXPECT_GT(tight, 60);
}

}  // namespace
}  // namespace dfrun
