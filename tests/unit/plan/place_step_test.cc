#include "src/plan/place_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "src/plan/placed_step.h"
#include "src/plan/search_random.h"
#include "tests/unit/plan/random_step.h"

namespace dfrun {
namespace {

TEST(PlaceStep, IsNoWorseThanAnyStart) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const PlacedGraph step = RandomStep(100, 4, seed);
    const StepPlacement found = PlaceStep(step, {.moves = 300});
    for (const StepPlacement& start : StartPlacements(step)) EXPECT_LE(found.seconds, start.seconds) << start.start;
    EXPECT_EQ(PlacedStep(step.graph, found.device_of).seconds(), found.seconds);
  }
}

TEST(PlaceStep, EqualArgumentsGiveAnEqualPlacement) {
  const PlacedGraph step = RandomStep(100, 4, 5);
  EXPECT_EQ(PlaceStep(step, {.moves = 500}).device_of, PlaceStep(step, {.moves = 500}).device_of);
}

TEST(PlaceStep, TasksKeepToTheDevicesThatTheyMayBeOn) {
  PlacedGraph step = RandomStep(60, 4, 6);
  step.device_sets.push_back({0, 2});
  SearchRandom random(6);
  for (StepGroup& group : step.groups) group.device_set = random.Below(2);
  step.group_of[10] = -1;  // stays
  step.groups[10].tasks.clear();
  step.groups.erase(step.groups.begin() + 10);
  for (int& group : step.group_of) group -= group > 10 ? 1 : 0;
  const StepPlacement found = PlaceStep(step, {.moves = 2000});
  EXPECT_EQ(found.device_of[10], 0);
  for (const StepGroup& group : step.groups) {
    const std::vector<int>& devices = step.device_sets[static_cast<size_t>(group.device_set)];
    for (const int task : group.tasks)
      EXPECT_TRUE(std::binary_search(devices.begin(), devices.end(), found.device_of[static_cast<size_t>(task)]));
  }
}

// All state is more than one device holds, and the step would be fastest on one.
TEST(PlaceStep, MemoryCountsBeforeTime) {
  PlacedGraph step = RandomStep(60, 2, 8);
  for (PairSpeed& pair : step.graph.pairs) pair = {1, 1e3};
  double state = 0;
  for (const double bytes : step.graph.state_bytes) state += bytes;
  for (double& bytes : step.graph.state_bytes) bytes *= 20;
  for (StepDevice& device : step.graph.devices) device.memory_bytes = static_cast<int64_t>(0.9 * 20 * state);
  EXPECT_GT(StartPlacements(step)[0].excess_bytes, 0);
  EXPECT_EQ(PlaceStep(step, {.moves = 2000}).excess_bytes, 0);
}

}  // namespace
}  // namespace dfrun
