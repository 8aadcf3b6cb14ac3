// A subgraph as it was recorded once: for which inputs and variables it holds, and how it is launched.
#ifndef DFRUN_SRC_EXECUTOR_CAPTURE_GRAPH_EXEC_H_
#define DFRUN_SRC_EXECUTOR_CAPTURE_GRAPH_EXEC_H_

#include <memory>
#include <vector>

#include "src/executor/capture/subgraph_copies.h"
#include "src/executor/capture/subgraph_runner.h"
#include "src/framework/device/graph_capture.h"
#include "src/framework/kernel/variable.h"

namespace dfrun {

// Thread safety: one thread at a time. The plan and the device outlive it.
class GraphExec {
 public:
  // Records the nodes of `plan` for the inputs of `ctx`, and runs nothing. Unimplemented where a node cannot be
  // recorded, FailedPrecondition where it cannot be now; ResourceExhausted without memory.
  static Result<std::unique_ptr<GraphExec>> Make(const ExecPlan& plan, const std::vector<bool>& uploaded,
                                                 CapturingDevice& device, OpContext& ctx);

  enum class Fit {
    kNo,      // other shapes or values
    kStale,   // a variable's memory is another one now: never again
    kNotNow,  // somebody holds a value of a variable that the subgraph writes in place
    kYes,
  };
  // Whether the recording serves a step with the inputs of `ctx`.
  Fit Fits(const OpContext& ctx) const;
  // Launches the recording for a step that it Fits() and whose variables are locked. Sets the outputs.
  Status Launch(const std::vector<bool>& uploaded, CapturingDevice& device, OpContext& ctx);

  // Locks the variables that the subgraph writes, in the order of addresses.
  class Locked {
   public:
    explicit Locked(const GraphExec& recording);
    ~Locked();
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

   private:
    const GraphExec& recording_;
  };

  const CaptureFacts& facts() const { return work_->facts(); }

 private:
  friend class GraphExecBuilder;

  // A variable that the nodes read or write, and where its value was.
  struct UsedVariable {
    Variable* variable;
    const void* data;
    Shape shape;
    bool is_written;
  };
  struct FixedInput {
    Shape shape;
    void* data = nullptr;  // address that the recorded nodes read
    Tensor in_host;        // instead of an address: the value that the host read
  };

  GraphExec() = default;

  std::unique_ptr<GraphCapture> recorder_;  // declared after the tensors that lie in its memory
  std::vector<UsedVariable> variables_;     // by address
  std::vector<FixedInput> inputs_;
  std::vector<Tensor> outputs_;
  std::unique_ptr<CapturedWork> work_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_CAPTURE_GRAPH_EXEC_H_
