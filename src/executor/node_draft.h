// What becomes of a node of the graph in a plan, while the plan is made.
#ifndef DFRUN_SRC_EXECUTOR_NODE_DRAFT_H_
#define DFRUN_SRC_EXECUTOR_NODE_DRAFT_H_

#include <cstdint>

#include "src/framework/gradient.h"
#include "src/framework/kernel.h"
#include "src/graph/control_flow.h"

namespace dfrun {

struct NodeDraft {
  const KernelDef* def = nullptr;  // null: the run loop does the node itself
  Kernel* kernel = nullptr;
  Tensor fixed;               // of output 0, where it is the same in every step
  bool is_settled = false;    // all it gives is there before the step runs: no node of the plan
  bool is_invariant = false;  // an Enter whose value is there before an iteration begins
  Output value;               // where what it gives lies, where it has no slots of its own; else not valid
  int32_t feed = -1;          // of an _Arg
  int32_t fetch = -1;         // of a _Retval
  ControlFlowKind flow = ControlFlowKind::kNone;
  uint32_t number = 0;      // in its frame
  uint32_t first_slot = 0;  // in the frame that its outputs belong to

  bool has_fixed() const { return fixed.initialized() || fixed.is_reference(); }
  // Whether it neither computes nor decides anything.
  bool is_idle() const {
    if (flow == ControlFlowKind::kLoopCond) return value.valid();
    return flow == ControlFlowKind::kNone && feed < 0 && fetch < 0 && (def == nullptr || has_fixed());
  }
  // Whether those that read it must wait for it.
  bool is_awaited() const { return !is_settled && !is_invariant; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_NODE_DRAFT_H_
