// Gates that keep a step from updating variables when a value is not finite.
//
// The output of a node of op kUpdateGateOp is true if all scalars that it reads are finite. An update has the attr
// kGatedAttr and a control edge from the gate of its device. If the gate's output is false the executor runs no gated
// node of the step on that rank. All other nodes run, so that no rank waits in vain, and the step ends well.
#ifndef DFRUN_SRC_GRAPH_UPDATE_GATE_H_
#define DFRUN_SRC_GRAPH_UPDATE_GATE_H_

#include "src/graph/graph.h"

namespace dfrun {

inline constexpr const char* kUpdateGateOp = "_UpdateGate";
// The same of a device that leaves out updates by itself, where they are recorded with the gate: its output, a number
// in the device's memory, is 0 where they are to write nothing.
inline constexpr const char* kDeviceGateOp = "_DeviceUpdateGate";
inline constexpr const char* kGatedAttr = "_gated";

inline bool IsGated(const Node& node) {
  const AttrValue* mark = node.attrs.Find(kGatedAttr);
  const bool* value = mark == nullptr ? nullptr : mark->get<bool>();
  return value != nullptr && *value;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_UPDATE_GATE_H_
