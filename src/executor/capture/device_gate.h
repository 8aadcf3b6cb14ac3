// Gates of updates (src/graph/update_gate.h) that a device keeps itself, so that a step need not wait for the host to
// look at its values.
#ifndef DFRUN_SRC_EXECUTOR_CAPTURE_DEVICE_GATE_H_
#define DFRUN_SRC_EXECUTOR_CAPTURE_DEVICE_GATE_H_

#include <optional>

#include "src/executor/capture/capture_partition.h"

namespace dfrun {

// The partition with its gate as the device's own, where all updates that wait for it can obey that; nothing where they
// cannot, or there is no gate. That the step has withheld its updates another gate of the rank says.
std::optional<Graph> WithDeviceGate(const Graph& partition, const Device& device);

// Whether the gate and all updates that wait for it are recorded together, as they must be.
bool IsGateRecorded(const Graph& partition, const CapturePartition& cut);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_CAPTURE_DEVICE_GATE_H_
