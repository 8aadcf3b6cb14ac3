// Runs graphs by plans, as a session does: control flow and all.
#ifndef DFRUN_TESTS_UNIT_TESTING_STEP_RUNNER_H_
#define DFRUN_TESTS_UNIT_TESTING_STEP_RUNNER_H_

#include <memory>
#include <string>
#include <vector>

#include "src/executor/executor.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {

// One plan on the tested device that gives some values of a graph; each Run() is a step.
class StepRunner {
 public:
  struct Options {
    int threads = 1;
    bool optimize = false;
    bool loop_programs = true;
  };

  StepRunner();
  explicit StepRunner(Options options);

  Status Prepare(const Graph& graph, const std::vector<Output>& fetches, const std::vector<Output>& feeds = {});

  Result<std::vector<Tensor>> Run(const std::vector<Tensor>& feeds = {});

 private:
  const Options options_;
  const std::unique_ptr<Device> device_ = MakeTestedDevice();
  WorkerPool pool_;
  std::unique_ptr<ExecPlan> plan_;
  size_t num_fetches_ = 0;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_STEP_RUNNER_H_
