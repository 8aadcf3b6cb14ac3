#include "src/plan/placed_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/plan/search_random.h"
#include "src/plan/step_bound.h"
#include "tests/unit/plan/random_step.h"
#include "tests/unit/plan/test_step.h"

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

double& LatencyOf(StepGraph& step) {
  return step.pairs[static_cast<size_t>(PairClass::kNetwork)].latency_s;
}

TEST(PlacedStep, ThePathFollowsWhatCameLast) {
  TestStep step(2);
  const int a = step.Add(0, 1, {}, 2);
  const int b = step.Add(1, 5);
  const int c = step.Add(1, 1, {a, b});
  StepGraph graph = step.Build();
  LatencyOf(graph) = 1;
  EXPECT_EQ(PlacedStep(graph, step.device_of()).seconds(), 6);  // the message is there at 4
  EXPECT_EQ(PlacedStep(graph, step.device_of()).Describe().path, (std::vector<int>{b, c}));
  graph.outputs[static_cast<size_t>(a)].bytes = 7;
  const PlacedRun later = PlacedStep(graph, step.device_of()).Describe();
  EXPECT_EQ(later.seconds, 10);
  EXPECT_EQ(later.path, (std::vector<int>{a, c}));
  EXPECT_EQ(later.path_tasks_s, 2);
  EXPECT_EQ(later.path_messages_s, 8);
}

// Neither of two messages is there before both are.
TEST(PlacedStep, MessagesThatLeaveARankShareItsPort) {
  TestStep step(3);
  const int a = step.Add(0, 1, {}, 3);
  const int b = step.Add(1, 0, {a});
  const int c = step.Add(2, 0, {a});
  StepGraph graph = step.Build();
  LatencyOf(graph) = 0.5;
  const PlacedStep placed(graph, step.device_of());
  EXPECT_EQ(placed.EndOf(b), 1 + 2 * 3 + 0.5);
  EXPECT_EQ(placed.EndOf(c), 1 + 2 * 3 + 0.5);
}

TEST(PlacedStep, MessagesThatComeToARankShareItsPort) {
  TestStep step(3);
  const int a = step.Add(0, 1, {}, 3);
  const int b = step.Add(1, 1.5, {}, 3);
  step.Add(2, 1, {a, b});
  StepGraph graph = step.Build();
  LatencyOf(graph) = 0.5;
  EXPECT_EQ(PlacedStep(graph, step.device_of()).seconds(), 1 + 0.5 + 2 * 3 + 1);
}

// No port is between ranks of one host.
TEST(PlacedStep, ADeviceIsBusyWithWhatComesFromItsHost) {
  TestStep step(3);
  const int a = step.Add(0, 1, {}, 4);
  step.Add(1, 5, {a});
  step.Add(2, 6, {a});
  StepGraph graph = step.Build();
  graph.ranks_per_node = 3;
  graph.pairs[static_cast<size_t>(PairClass::kSameHost)].latency_s = 2;
  EXPECT_EQ(PlacedStep(graph, step.device_of()).seconds(), 1 + 2 + 4 + 6);
}

// The value of a loop's turn goes once in each turn.
TEST(PlacedStep, MessagesOfALoopGoOneAfterTheOther) {
  TestStep step(2);
  const int a = step.Add(0, 1, {}, 2);
  step.Add(1, 1, {a});
  StepGraph graph = step.Build();
  LatencyOf(graph) = 0.5;
  graph.outputs[static_cast<size_t>(a)].times = 10;
  const PlacedRun run = PlacedStep(graph, step.device_of()).Describe();
  EXPECT_EQ(run.seconds, 1 + 10 * 2.5 + 1);
  EXPECT_EQ(run.links[static_cast<size_t>(PairClass::kNetwork)], (PlacedLinkUse{10, 20}));
}

TEST(PlacedStep, ThoseThatWaitInACircleAreLeftOut) {
  TestStep step(1);
  const int a = step.Add(0, 1);
  const int b = step.Add(0, 1, {a});
  step.Join(step.Add(0, 1, {b}), b);
  const StepGraph graph = step.Build();
  const PlacedRun run = PlacedStep(graph, step.device_of()).Describe();
  EXPECT_EQ(run.seconds, 1);
  EXPECT_EQ(run.path, (std::vector<int>{a}));
}

TEST(PlacedStep, NoPlacementIsBelowTheBound) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    PlacedGraph step = RandomStep(40, 4, seed);
    SearchRandom random(seed);
    for (int& device : step.device_of) device = random.Below(4);
    for (StepOutput& output : step.graph.outputs) output.is_local = false;
    StepUnits units;
    units.classes = {{.devices = 4, .bytes = StepGraph::kNever}};
    for (int task = 0; task < step.graph.num_tasks(); ++task) {
      units.fastest_s.push_back(step.graph.Seconds(task, 0));
      units.units.push_back({.seconds = {step.graph.Seconds(task, 0)}});
      units.unit_of.push_back(task);
    }
    const PlacedRun run = PlacedStep(step.graph, step.device_of).Describe();
    EXPECT_GE(run.seconds, BoundOfStep(step.graph, units).cost);
    EXPECT_GE(run.seconds, *std::max_element(run.busy_s.begin(), run.busy_s.end()));
    EXPECT_LE(run.path_tasks_s + run.path_messages_s, run.seconds * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace dfrun
