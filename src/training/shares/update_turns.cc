#include "src/training/shares/update_turns.h"

#include <algorithm>
#include <set>

#include "src/base/sort_unique.h"
#include "src/graph/update_gate.h"
#include "src/training/rank_devices.h"
#include "src/training/shares/join_writers.h"

namespace dfrun {

// Finds the nodes of the replica's updates that use variables which all replicas share.
Status UpdateTurnNodes::FindUses(const ReplicaApart& replica) {
  const Graph& graph = draft_.job.graph;
  uses_.clear();
  remote_reads_.clear();
  reads_values_ = false;
  std::set<NodeId> shared;
  for (const Kept& kept : draft_.kept) {
    if (kept.is_variable) shared.insert(kept.source);
  }
  for (NodeId id = replica.first_node; id < replica.end_node; ++id) {
    const Node& node = graph.node(id);
    std::set<std::string> devices;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const NodeId variable = node.inputs[i].node;
      if (variable < 0 || !shared.contains(variable)) continue;
      const std::string& device = graph.node(variable).device;
      const bool is_value = !node.input_types[i].is_ref;
      reads_values_ = reads_values_ || is_value;
      if (is_value && node.device != device) {
        remote_reads_.push_back({id, i, variable});
      } else {
        devices.insert(device);
      }
    }
    for (const std::string& device : devices) uses_[device].nodes.push_back(id);
  }
  for (const RemoteRead& read : remote_reads_) uses_[graph.node(read.variable).device];
  return Status();
}

bool UpdateTurnNodes::NeedsTurns(const ReplicaApart& replica) const {
  if (in_turn_ || reads_values_) return true;
  return std::any_of(replica.writers.begin(), replica.writers.end(),
                     [](const auto& entry) { return entry.second.size() > 1; });
}

Result<Output> UpdateTurnNodes::TurnsOn(const std::string& device) {
  const auto found = turns_.find(device);
  if (found != turns_.end()) return found->second;
  DF_ASSIGN(const std::string host, HostOf(draft_.cluster, device));
  GraphOps ops(draft_.job.graph, "train", host);
  const Output turns = ops.Add("turns", "_UpdateTurns", {}, {{"shared_name", "train/turns" + device}});
  DF_TRY(ops.status());
  turns_[device] = turns;
  return turns;
}

Status UpdateTurnNodes::AddTurn(int number, const std::string& device, ReplicaApart& replica, Uses& uses) {
  Graph& graph = draft_.job.graph;
  for (const NodeId id : replica.snapshots) {
    if (graph.node(id).device == device) uses.after.push_back(id);
  }
  const std::vector<NodeId> reads = uses.after;
  for (const CheckedValues& checked : replica.checked) {
    for (const CheckedValues::Value& value : checked.values) {
      if (graph.node(value.at).device == device) uses.after.push_back(value.value.node);
    }
  }
  // The gate comes before the turn, so that a replica does not keep others waiting for it.
  for (const NodeId use : uses.nodes) {
    for (const NodeId control : graph.node(use).control_inputs) {
      if (graph.node(control).op->name == kUpdateGateOp) uses.after.push_back(control);
    }
  }
  SortUnique(uses.after);
  DF_ASSIGN(uses.turns, TurnsOn(device));
  DF_ASSIGN(const std::string host, HostOf(draft_.cluster, device));
  GraphOps ops(graph, "train", host);
  if (in_turn_) {
    const Output counted = ops.Add("reads", "_CountReads", {uses.turns, replica.token}, {}, reads);
    replica.step.signature.targets.push_back(counted.node);
  }
  uses.begin =
      ops.Add("begin_turn", "_BeginTurn", {uses.turns, replica.token}, {{"replica", int64_t{number}}}, uses.after).node;
  return ops.status();
}

// A value that an update reads on another device is read in the turn of the variable's own.
Status UpdateTurnNodes::ReadOnDevice(ReplicaApart& replica) {
  Graph& graph = draft_.job.graph;
  std::map<NodeId, Output> values;
  for (const RemoteRead& read : remote_reads_) {
    Output& value = values[read.variable];
    if (!value.valid()) {
      const std::string device = graph.node(read.variable).device;
      Uses& uses = uses_.at(device);
      GraphOps ops(graph, "train/" + graph.node(read.variable).name, device);
      value = ops.Add("in_turn", "_SnapshotVariable", {{read.variable, 0}, replica.token}, {{"copies", true}});
      DF_TRY(ops.status());
      uses.nodes.push_back(value.node);
    }
    DF_TRY(graph.SetInput(read.node, read.input, value));
  }
  return Status();
}

Result<std::vector<NodeId>> UpdateTurnNodes::Add(int number, ReplicaApart& replica) {
  Graph& graph = draft_.job.graph;
  DF_TRY(FindUses(replica));
  if (!NeedsTurns(replica)) return JoinWriters(replica.writers, graph);
  for (auto& [device, uses] : uses_) DF_TRY(AddTurn(number, device, replica, uses));
  DF_TRY(ReadOnDevice(replica));
  std::vector<NodeId> ends;
  for (auto& [device, uses] : uses_) {
    for (const NodeId node : uses.nodes) graph.AddControlEdge(uses.begin, node);
    DF_ASSIGN(const std::string host, HostOf(draft_.cluster, device));
    GraphOps ops(graph, "train", host);
    uses.end = ops.Add("end_turn", "_EndTurn", {uses.turns, replica.token}, {}, uses.nodes).node;
    DF_TRY(ops.status());
    ends.push_back(uses.end);
  }
  if (remote_reads_.empty()) return ends;
  const Uses& first = uses_.begin()->second;
  for (auto& [device, uses] : uses_) {
    if (&uses == &first) continue;
    graph.AddControlEdge(first.begin, uses.begin);
    graph.AddControlEdge(uses.end, first.end);
  }
  return ends;
}

Status UpdateTurnNodes::AddOpen(Output steps, RunSignature& open) {
  for (const auto& [device, turns] : turns_) {
    DF_ASSIGN(const std::string host, HostOf(draft_.cluster, device));
    GraphOps ops(draft_.job.graph, "train", host);
    const AttrMap attrs = {{"replicas", static_cast<int64_t>(draft_.apart.size())}, {"in_turn", in_turn_}};
    open.targets.push_back(ops.Add("open_turns", "_OpenTurns", {turns, steps}, attrs).node);
    DF_TRY(ops.status());
  }
  return Status();
}

}  // namespace dfrun
