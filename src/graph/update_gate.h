// Gates that keep a step from updating variables when a value is not finite.
//
// The output of a node of op kUpdateGateOp is 0 if all values that it reads are finite, else the least number of one
// that is not. An update has the attr kGatedAttr and a control edge from the gate of its device. If the gate has found
// a value the executor runs no gated node of the step on that rank. All other nodes run, so that no rank waits in vain,
// and the step ends well. Nodes of op kFirstNotFiniteOp look for the gates, where the values are; a gate that reads the
// finding of one of them, an int32, takes it over.
#ifndef DFRUN_SRC_GRAPH_UPDATE_GATE_H_
#define DFRUN_SRC_GRAPH_UPDATE_GATE_H_

#include "src/graph/graph.h"

namespace dfrun {

inline constexpr const char* kFirstNotFiniteOp = "_FirstNotFinite";
inline constexpr const char* kUpdateGateOp = "_UpdateGate";
// The gate on a device that leaves out updates by itself, where they are recorded with the gate: its output, a number
// in the device's memory, is 0 where the updates must write nothing.
inline constexpr const char* kDeviceGateOp = "_DeviceUpdateGate";
inline constexpr const char* kGatedAttr = "_gated";

inline bool IsGated(const Node& node) {
  const AttrValue* mark = node.attrs.Find(kGatedAttr);
  const bool* value = mark == nullptr ? nullptr : mark->get<bool>();
  return value != nullptr && *value;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_UPDATE_GATE_H_
