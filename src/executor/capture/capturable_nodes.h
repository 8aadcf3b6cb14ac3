// Finds the nodes of a partition that can be recorded, judging each by itself (capture_partition.h).
#ifndef DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURABLE_NODES_H_
#define DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURABLE_NODES_H_

#include <string>
#include <vector>

#include "src/framework/device/device.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

struct CapturableNodes {
  enum class Kind : uint8_t {
    kSource,    // a constant or a variable: there before the step
    kRecorded,  // can be recorded
    kOther,
  };
  std::vector<Kind> kinds;           // by node
  std::vector<std::string> why_not;  // for a kOther that works on the device: "it ..."; else empty
};

// `partition` has memory copies and no control flow. Errors name the node.
Result<CapturableNodes> FindCapturableNodes(const Graph& partition, const Device& device,
                                            const KernelRegistry& kernels);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURABLE_NODES_H_
