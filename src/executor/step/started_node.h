// An asynchronous node, as the last step left it in which it was started.
#ifndef DFRUN_SRC_EXECUTOR_STEP_STARTED_NODE_H_
#define DFRUN_SRC_EXECUTOR_STEP_STARTED_NODE_H_

#include <cstdint>

namespace dfrun {

struct StartedNode {
  uint32_t node = 0;  // in the plan
  int64_t step_id = 0;
  bool has_ended = false;
  bool in_loop = false;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_STARTED_NODE_H_
