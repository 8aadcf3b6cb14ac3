// What the steps of `dfrun eval` leave behind: stacked fetches and times.
#ifndef DFRUN_JOBS_EVAL_RESULTS_H_
#define DFRUN_JOBS_EVAL_RESULTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/framework/device.h"
#include "src/framework/device_memory.h"
#include "src/framework/tensor.h"

namespace dfrun::jobs {

// Stacks the fetches of K steps along a new first axis; K of 1 adds none.
class FetchStack {
 public:
  FetchStack(std::vector<std::string> names, int64_t steps) : names_(std::move(names)), steps_(steps) {}

  // The fetches of the next step. InvalidArgument where a fetch has another shape than in the first step.
  Status Add(std::span<const Tensor> fetches);
  // There are no further steps: the values are those of the steps so far.
  void EndEarly();
  const std::vector<std::string>& names() const { return names_; }
  // After the last step.
  const std::vector<Tensor>& values() const { return values_; }

 private:
  Status Begin(std::span<const Tensor> fetches);

  const std::vector<std::string> names_;
  const int64_t steps_;
  int64_t added_ = 0;
  std::vector<Tensor> values_;
};

struct EvalStats {
  std::vector<double> step_ms;
  double startup_ms = 0;             // from the start of the process to that of the first step
  int64_t nodes = 0;                 // that a step runs, over all ranks
  int64_t peak_bytes = 0;            // of tensors, on the CPU device of rank 0
  std::vector<DeviceMemory> memory;  // of all devices of rank 0

  std::string ToJson() const;
};

// Milliseconds since the kernel started this process, to 10 ms.
double MillisecondsSinceProcessStart();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_RESULTS_H_
