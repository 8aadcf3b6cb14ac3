// The kernel of a captured subgraph of nodes (capture_partition.h): it runs the nodes one by one at first, records them
// when the same shapes come again, and from then on launches the recording.
#ifndef DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURED_SUBGRAPH_H_
#define DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURED_SUBGRAPH_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/executor/capture/capture_partition.h"
#include "src/executor/capture/graph_exec.h"
#include "src/executor/plan/plan.h"
#include "src/executor/step/run_args.h"

namespace dfrun {

// A recording holds for the shapes of the inputs, and for the variables' memory as it was. Inputs are copied into the
// recorded buffers before a launch and outputs out of them after it, so a step may be enqueued before the one before
// has ended. A recorded step computes the same bits as an unrecorded one.
//
// Thread safety: any thread; one step enqueues at a time.
class CapturedSubgraph final : public Kernel {
 public:
  // `plan`: of the subgraph's graph, on a device that records, with no placed values. `explain`, where it is set, is
  // told of each recording, and why there is none.
  CapturedSubgraph(SubgraphDraft draft, std::unique_ptr<ExecPlan> plan,
                   std::function<void(const std::string&)> explain);

  Status Compute(OpContext& ctx) EXCLUDES(mu_);
  bool IsExpensive() const override { return true; }
  // Runs the nodes one by one and traces each, or looks at its values, as `args` say.
  Status ComputeWatched(OpContext& ctx, const RunArgs& args) const;

 private:
  static Status Invoke(Kernel* self, OpContext& ctx) { return static_cast<CapturedSubgraph*>(self)->Compute(ctx); }

  Status RunOneByOne(OpContext& ctx, SubgraphRunner::Observer& observer) const;
  GraphExec* FindRecording(const OpContext& ctx) REQUIRES(mu_);
  // Whether the shapes are those of one of the last steps that ran node by node; notes them.
  bool ComeAgain(const OpContext& ctx) REQUIRES(mu_);
  // Returns null where the nodes cannot be recorded, now or ever.
  GraphExec* Record(OpContext& ctx) REQUIRES(mu_);
  void Explain(const GraphExec& made) const;

  const std::string name_;
  const std::unique_ptr<ExecPlan> plan_;
  const std::vector<bool> uploaded_;  // by input
  CapturingDevice& device_;
  const std::function<void(const std::string&)> explain_;
  Mutex mu_;
  bool may_record_ GUARDED_BY(mu_) = true;
  int recorded_ GUARDED_BY(mu_) = 0;
  std::vector<std::vector<Shape>> seen_ GUARDED_BY(mu_);                // shapes of the inputs, not recorded so far
  std::vector<std::unique_ptr<GraphExec>> recordings_ GUARDED_BY(mu_);  // the last that was launched first
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURED_SUBGRAPH_H_
