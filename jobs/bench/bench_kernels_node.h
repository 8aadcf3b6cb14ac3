// One op as a plan of one node over constants, or of several nodes that run one after the other, for benchmarks of
// kernels.
#ifndef DFRUN_JOBS_BENCH_BENCH_KERNELS_NODE_H_
#define DFRUN_JOBS_BENCH_BENCH_KERNELS_NODE_H_

#include <memory>
#include <string>
#include <vector>

#include "src/executor/executor.h"

namespace dfrun::jobs {

class OpStep {
 public:
  // Makes the step. Shapes are static, as in most graphs that train. `inputs` are in host memory. The device must
  // outlive the step.
  static Result<std::unique_ptr<OpStep>> Create(Device& device, const std::string& op, const AttrMap& attrs,
                                                const std::vector<Tensor>& inputs, int nodes = 1);
  // Runs the step and keeps the first error in status(), so that a timed body consists of steps alone.
  void Run(WorkerPool& pool);
  const Status& status() const { return status_; }

 private:
  std::unique_ptr<ExecPlan> plan_;
  Status status_;
};

// Returns a tensor in the device's host memory with values between -1 and 1, which are the same every time. `dtype` is
// float32 or bfloat16.
Result<Tensor> RandomTensor(Device& device, DType dtype, const Shape& shape);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_BENCH_KERNELS_NODE_H_
