// The context that a step gives its kernels.
#ifndef DFRUN_SRC_FRAMEWORK_STEP_STEP_CONTEXT_H_
#define DFRUN_SRC_FRAMEWORK_STEP_STEP_CONTEXT_H_

#include <cstdint>

#include "src/framework/step/cancellation.h"
#include "src/framework/step/rendezvous.h"
#include "src/framework/values/resource.h"

namespace dfrun {

// The state that all nodes share in one execution of a partition.
struct StepContext {
  int64_t step_id = 0;                            // over the whole session
  int64_t number = 0;                             // that whoever asked for the step gave it; in a training from 0
  Rendezvous* rendezvous = nullptr;               // null where the partition has no Send or Recv
  ResourceContainers* step_containers = nullptr;  // objects that die with the step
  Cancellation* cancellation = nullptr;           // ends the waits of the step; never null while a kernel of an
                                                  // executor runs
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_STEP_STEP_CONTEXT_H_
