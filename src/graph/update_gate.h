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
// Counts the findings of a replica that is gated by its own (src/framework/step/replica_findings.h).
inline constexpr const char* kReplicaFindingsOp = "_ReplicaFindings";
// Replicas of one rank that are gated each by its own finding are groups, from 1 on: a gate of a group leaves out the
// updates of that group alone. 0, or no such attr: a gate leaves out the updates of all groups, and such an update is
// left out by gates without a group.
inline constexpr const char* kGateGroupAttr = "_gate_group";
inline constexpr int kMaxGateGroups = 63;

inline bool IsGated(const Node& node) {
  const AttrValue* mark = node.attrs.Find(kGatedAttr);
  const bool* value = mark == nullptr ? nullptr : mark->get<bool>();
  return value != nullptr && *value;
}

inline uint32_t GateGroup(const Node& node) {
  const AttrValue* mark = node.attrs.Find(kGateGroupAttr);
  const int64_t* group = mark == nullptr ? nullptr : mark->get<int64_t>();
  return group == nullptr ? 0 : static_cast<uint32_t>(*group);
}

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_UPDATE_GATE_H_
