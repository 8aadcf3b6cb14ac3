// The primitives of conditionals and loops that an op can be. The Ref forms count as the others.
#ifndef DFRUN_SRC_FRAMEWORK_OP_CONTROL_FLOW_KIND_H_
#define DFRUN_SRC_FRAMEWORK_OP_CONTROL_FLOW_KIND_H_

#include <cstdint>

namespace dfrun {

enum class ControlFlowKind : uint8_t {
  kNone,
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_CONTROL_FLOW_KIND_H_
