#include "src/plan/placed_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "src/plan/search_random.h"
#include "tests/unit/plan/random_step.h"

namespace dfrun {
namespace {

void ExpectEqualRuns(const PlacedStep& a, const PlacedStep& b) {
  EXPECT_EQ(a.seconds(), b.seconds());
  EXPECT_EQ(a.excess_bytes(), b.excess_bytes());
  const PlacedRun of_a = a.Describe();
  const PlacedRun of_b = b.Describe();
  EXPECT_EQ(of_a.busy_s, of_b.busy_s);
  EXPECT_EQ(of_a.peak_bytes, of_b.peak_bytes);
  EXPECT_EQ(of_a.links, of_b.links);
  EXPECT_EQ(of_a.path, of_b.path);
}

TEST(PlacedStep, AMoveGivesWhatAWholeRunGives) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const PlacedGraph step = RandomStep(120, 5, seed);
    PlacedStep placed(step.graph, step.device_of);
    SearchRandom random(seed);
    for (int move = 0; move < 60; ++move) {
      std::vector<int> tasks;
      std::vector<int> devices;
      for (int i = 0; i <= random.Below(3); ++i) {
        tasks.push_back(40 * i + random.Below(40));
        devices.push_back(random.Below(5));
      }
      std::vector<int> moved = placed.device_of();
      for (size_t i = 0; i < tasks.size(); ++i) moved[static_cast<size_t>(tasks[i])] = devices[i];
      const PlacedStep whole(step.graph, moved);
      const PlacedStep::Tried tried = placed.Try(tasks, devices);
      ASSERT_EQ(tried.seconds, whole.seconds()) << "move " << move;
      if (random.Below(2) == 0) {
        placed.Reject();
        continue;
      }
      placed.Accept();
      ExpectEqualRuns(placed, whole);
    }
    ExpectEqualRuns(placed, PlacedStep(step.graph, placed.device_of()));
  }
}

TEST(PlacedStep, ARunThatTakesTooLongIsLeft) {
  const PlacedGraph step = RandomStep(60, 2, 3);
  PlacedStep placed(step.graph, step.device_of);
  const int task[] = {0};
  const int device[] = {1};
  EXPECT_EQ(placed.Try(task, device, placed.seconds() / 2).seconds, StepGraph::kNever);
  placed.Reject();
  ExpectEqualRuns(placed, PlacedStep(step.graph, step.device_of));
}

TEST(PlacedStep, TasksOfOneDeviceComeOneAfterTheOther) {
  const PlacedGraph step = RandomStep(80, 3, 7);
  const PlacedStep placed(step.graph, step.device_of);
  double sum_s = 0;
  for (const double seconds : step.graph.seconds) sum_s += seconds;
  EXPECT_NEAR(placed.seconds(), sum_s, 1e-9 * sum_s);
  EXPECT_EQ(placed.Describe().links, (decltype(PlacedRun::links)()));
}

// A value of 1,000 bytes goes to two readers on another device in one message.
TEST(PlacedStep, AValueTravelsOnceToEachDevice) {
  PlacedGraph step;
  StepGraph& graph = step.graph;
  graph.devices = {{0, 0, 0}, {1, 0, 0}};
  graph.num_ranks = 2;
  graph.ranks_per_node = 2;
  graph.pairs[static_cast<size_t>(PairClass::kSameHost)] = {5, 100};
  graph.send_s = 1;
  graph.receive_s = 2;
  graph.seconds = {10, 20, 30};
  graph.state_bytes = {7, 0, 0};
  graph.scopes = {0, 0, 0};
  graph.outputs = {{0, 1000, 1000, -1, false}};
  graph.first_output = {0, 1, 1, 1};
  graph.readers = {1, 2};
  graph.first_reader = {0, 2};
  graph.inputs = {0, 0};
  graph.first_input = {0, 0, 1, 2};
  const PlacedStep placed(graph, {0, 1, 1});
  EXPECT_EQ(placed.seconds(), 10 + 1 + 1000 / 100 + 5 + 2 + 20 + 30);
  const PlacedRun run = placed.Describe();
  EXPECT_EQ(run.links[static_cast<size_t>(PairClass::kSameHost)], (PlacedLinkUse{1, 1000}));
  EXPECT_EQ(run.path, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(run.path_tasks_s, 60);
  EXPECT_EQ(run.path_messages_s, 6);
  EXPECT_EQ(run.peak_bytes, (std::vector<double>{1007, 1000}));
}

}  // namespace
}  // namespace dfrun
