#include "tests/unit/plan/test_step.h"

namespace dfrun {

TestStep::TestStep(int devices) {
  for (int d = 0; d < devices; ++d) base_.devices.push_back({.rank = d});
  base_.num_ranks = devices;
  base_.pairs.fill({.latency_s = 0, .bytes_per_s = 1});
}

int TestStep::Add(int device, double seconds, const std::vector<int>& after, double bytes) {
  const auto task = static_cast<int>(device_of_.size());
  device_of_.push_back(device);
  bytes_.push_back(bytes);
  readers_.emplace_back();
  base_.seconds.push_back(seconds);
  base_.state_bytes.push_back(0);
  base_.scopes.push_back(0);
  for (const int before : after) Join(before, task);
  return task;
}

StepGraph TestStep::Build() const {
  StepGraph step = base_;
  for (int task = 0; task < step.num_tasks(); ++task) {
    step.first_output.push_back(task);
    step.outputs.push_back({.task = task, .bytes = bytes_[static_cast<size_t>(task)]});
    step.first_reader.push_back(static_cast<int>(step.readers.size()));
    const std::vector<int>& readers = readers_[static_cast<size_t>(task)];
    step.readers.insert(step.readers.end(), readers.begin(), readers.end());
  }
  step.first_output.push_back(step.num_tasks());
  step.first_reader.push_back(static_cast<int>(step.readers.size()));
  step.SetInputs();
  return step;
}

}  // namespace dfrun
