// Small steps for tests of their simulation and bounds, made task by task.
#ifndef DFRUN_TESTS_UNIT_PLAN_TEST_STEP_H_
#define DFRUN_TESTS_UNIT_PLAN_TEST_STEP_H_

#include <vector>

#include "src/plan/step_graph.h"

namespace dfrun {

// Each device is the one of a rank, each rank on a host of its own.
class TestStep {
 public:
  explicit TestStep(int devices);

  // Adds a task that waits for those of `after`, and makes a value of so many bytes.
  int Add(int device, double seconds, const std::vector<int>& after = {}, double bytes = 0);

  // Has a task wait for another, of which either may have been added first.
  void Join(int from, int to) { readers_[static_cast<size_t>(from)].push_back(to); }

  // The step of the tasks so far, to which messages may be given speeds.
  StepGraph Build() const;
  const std::vector<int>& device_of() const { return device_of_; }

 private:
  StepGraph base_;
  std::vector<int> device_of_;
  std::vector<double> bytes_;
  std::vector<std::vector<int>> readers_;  // by task
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_PLAN_TEST_STEP_H_
