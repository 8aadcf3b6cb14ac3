// Calls the kernels of a plan without control flow one after the other, in the plan's order, on one thread: of a
// subgraph that is recorded, or is not yet.
#ifndef DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_RUNNER_H_
#define DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_RUNNER_H_

#include <vector>

#include "src/base/threads.h"
#include "src/executor/plan/plan.h"

namespace dfrun {

// One run of a subgraph's nodes. Thread safety: one thread. The plan, which has no asynchronous kernels and places no
// values, the device and the pool outlive it.
class SubgraphRunner {
 public:
  // Around the kernels' calls.
  class Observer {
   public:
    virtual ~Observer() = default;
    // `call` calls the kernel of the node, whose inputs are in `slots`, and its outputs after the call.
    virtual Status Call(uint32_t node, const Tensor* slots, FunctionRef<Status(OpContext&)> call, OpContext& ctx) = 0;
    // Whether an update that the step's gate concerns is left out, before its kernel would be called.
    virtual Result<bool> LeavesOut(uint32_t /*node*/, const Tensor* /*slots*/) { return false; }
  };

  // Kernels are called as on `device`, which is the plan's or one that stands for it.
  SubgraphRunner(const ExecPlan& plan, Device& device, ThreadPool& pool, const StepContext& step);

  // `inputs`: by feed; released after their last readers. `outputs`: by fetch, headers that share the subgraph's
  // buffers; for a reference, the value.
  Status Run(std::vector<Tensor> inputs, Observer& observer, std::vector<Tensor>& outputs);

 private:
  Status RunNode(uint32_t node, Observer& observer, std::vector<Tensor>& outputs);
  uint64_t Forwardable(uint32_t node) const;
  void Release(uint32_t node);

  const ExecPlan& plan_;
  std::vector<Tensor> slots_;
  std::vector<int32_t> readers_;
  OpContext context_;
};

// Whether the node is a gate that the device keeps itself (device_gate.h).
bool IsGate(const ExecPlan& plan, uint32_t node);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_RUNNER_H_
