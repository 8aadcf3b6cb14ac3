#include "src/plan/simulate_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/plan/step_bound.h"

namespace dfrun {
namespace {

// Adds a task that is as fast on its device as anywhere.
int AddTask(StepTasks& step, int device, double seconds, const std::vector<int>& after = {}) {
  const int task = static_cast<int>(step.tasks.size());
  step.tasks.push_back({.device = device, .seconds = seconds, .fastest_s = seconds});
  step.readers.emplace_back();
  for (const int before : after) step.readers[before].push_back(task);
  return task;
}

TEST(SimulateStep, ADeviceDoesOneTaskAtATime) {
  StepTasks step{.devices = 1, .ports = 0, .tasks = {}, .readers = {}, .messages = {}};
  for (int i = 0; i < 3; ++i) AddTask(step, 0, 2);
  const SimulatedStep made = SimulateStep(step);
  EXPECT_EQ(made.seconds, 6);
  EXPECT_EQ(made.busy_s, (std::vector<double>{6}));
  EXPECT_EQ(made.path, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(BoundOfStep(step).cost, 6);
}

TEST(SimulateStep, ThePathFollowsWhatCameLast) {
  StepTasks step{.devices = 2, .ports = 2, .tasks = {}, .readers = {}, .messages = {}};
  const int a = AddTask(step, 0, 1);
  const int b = AddTask(step, 1, 5);
  const int c = AddTask(step, 1, 1, {b});
  step.messages.push_back({.from = a, .to = c, .port = 0, .port_s = 2, .latency_s = 1, .receive_s = 0});
  const SimulatedStep made = SimulateStep(step);
  EXPECT_EQ(made.seconds, 6);  // the message is there at 4
  EXPECT_EQ(made.path, (std::vector<int>{b, c}));
  step.messages[0].port_s = 7;
  const SimulatedStep later = SimulateStep(step);
  EXPECT_EQ(later.seconds, 10);
  EXPECT_EQ(later.path, (std::vector<int>{a, c}));
  EXPECT_EQ(later.path_tasks_s, 2);
  EXPECT_EQ(later.path_messages_s, 8);
  EXPECT_EQ(later.port_busy_s, (std::vector<double>{7, 0}));
}

TEST(SimulateStep, APortSendsOneMessageAtATime) {
  StepTasks step{.devices = 3, .ports = 1, .tasks = {}, .readers = {}, .messages = {}};
  const int a = AddTask(step, 0, 1);
  const int b = AddTask(step, 1, 0);
  const int c = AddTask(step, 2, 0);
  for (const int to : {b, c})
    step.messages.push_back({.from = a, .to = to, .port = 0, .port_s = 3, .latency_s = 0.5, .receive_s = 0});
  EXPECT_EQ(SimulateStep(step).seconds, 1 + 2 * 3 + 0.5);
}

TEST(SimulateStep, ADeviceIsBusyWithWhatComes) {
  StepTasks step{.devices = 2, .ports = 1, .tasks = {}, .readers = {}, .messages = {}};
  const int a = AddTask(step, 0, 1);
  const int b = AddTask(step, 1, 5);
  step.messages.push_back({.from = a, .to = b, .port = 0, .port_s = 0, .latency_s = 2, .receive_s = 4});
  EXPECT_EQ(SimulateStep(step).seconds, 1 + 2 + 4 + 5);
}

TEST(SimulateStep, ThoseThatWaitInACircleAreLeftOut) {
  StepTasks step{.devices = 1, .ports = 0, .tasks = {}, .readers = {}, .messages = {}};
  AddTask(step, 0, 1);
  const int b = AddTask(step, 0, 1);
  const int c = AddTask(step, 0, 1, {b});
  step.readers[c].push_back(b);
  const SimulatedStep made = SimulateStep(step);
  EXPECT_FALSE(made.is_whole);
  EXPECT_EQ(made.seconds, 1);
}

// A list schedule of tasks without messages takes at most twice the larger of the two bounds.
TEST(SimulateStep, IsNeverBelowTheBound) {
  uint32_t state = 7;
  const auto below = [&](uint32_t n) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
  };
  for (int round = 0; round < 200; ++round) {
    StepTasks step{.devices = 1 + static_cast<int>(below(4)), .ports = 4, .tasks = {}, .readers = {}, .messages = {}};
    for (int task = 0; task < 30; ++task) {
      AddTask(step, static_cast<int>(below(step.devices)), 1 + below(9));
      for (int before = 0; before < task; ++before) {
        if (below(12) != 0) continue;
        if (step.tasks[before].device == step.tasks[task].device) {
          step.readers[before].push_back(task);
        } else {
          step.messages.push_back({.from = before,
                                   .to = task,
                                   .port = step.tasks[before].device,
                                   .port_s = 1.0 * below(3),
                                   .latency_s = 0.5});
        }
      }
    }
    const SimulatedStep made = SimulateStep(step);
    EXPECT_TRUE(made.is_whole);
    EXPECT_GE(made.seconds, BoundOfStep(step).cost);
    EXPECT_GE(made.seconds, *std::max_element(made.busy_s.begin(), made.busy_s.end()));
    EXPECT_LE(made.path_tasks_s + made.path_messages_s, made.seconds + 1e-9);
  }
}

}  // namespace
}  // namespace dfrun
