#include "src/training/update_gates.h"

#include <algorithm>
#include <set>

#include "src/framework/device/graph_capture.h"
#include "src/graph/update_gate.h"
#include "src/training/finite_checks.h"
#include "src/training/rank_devices.h"
#include "src/training/replica_gates.h"

namespace dfrun {
namespace {

// The ranks that a node may be on. The master is one whatever it does, since it decides how the job goes on.
Result<std::set<int>> RanksAtWork(const JobGraphDraft& draft) {
  std::set<std::string> constraints;
  for (const Node& node : draft.job.graph.nodes()) {
    if (!node.device.empty()) constraints.insert(node.device);
  }
  std::set<int> ranks = {draft.cluster.devices[0].rank};
  for (const std::string& text : constraints) {
    DF_ASSIGN(const DeviceName constraint, DeviceName::Parse(text));
    for (const ClusterDevice& device : draft.cluster.devices) {
      if (constraint.Matches(device.name)) ranks.insert(device.rank);
    }
  }
  return ranks;
}

bool IsPosition(const JobGraphDraft& draft, NodeId variable) {
  return std::any_of(draft.spec.inputs.begin(), draft.spec.inputs.end(),
                     [&](const InputSpec& input) { return draft.shared.nodes.at(input.position) == variable; });
}

bool Waits(const JobGraphDraft& draft, NodeId variable) {
  switch (draft.spec.train->on_nan) {
    case TrainSpec::OnNan::kStop:
      return true;
    case TrainSpec::OnNan::kSkip:
      return !IsPosition(draft, variable);
    default:
      return false;
  }
}

// Whether a device leaves out updates by itself.
Result<bool> HasOwnGate(const std::string& device) {
  DF_ASSIGN(const DeviceName name, DeviceName::Parse(device));
  return name.type && FindCaptureTraits(*name.type, kDeviceGateOp) != nullptr;
}

// `found`: by training site.
Result<NodeId> AddGate(JobGraphDraft& draft, const std::vector<Output>& found, const std::string& device) {
  DF_ASSIGN(const int rank, RankOf(draft.cluster, device));
  Output here = found[0];
  for (size_t site = 1; site < found.size(); ++site) {
    DF_ASSIGN(const int of_site, RankOf(draft.cluster, draft.checked[site].device));
    if (of_site == rank) here = found[site];
  }
  GraphOps ops(draft.job.graph, "train", device);
  const NodeId gate = ops.Add("gate", kUpdateGateOp, {here}).node;
  DF_TRY(ops.status());
  draft.job.step.signature.targets.push_back(gate);
  return gate;
}

// The device of the gate of a variable's updates.
Result<std::string> DeviceOfGate(const JobGraphDraft& draft, NodeId variable) {
  const std::string device = draft.job.graph.node(variable).device;
  DF_ASSIGN(const bool has_own, HasOwnGate(device));
  if (has_own) return device;
  DF_ASSIGN(const int rank, RankOf(draft.cluster, device));
  return CpuOf(draft.cluster, rank);
}

}  // namespace

Result<Output> AddGatesOf(ReplicaApart& replica, JobGraphDraft& draft) {
  Graph& graph = draft.job.graph;
  draft.checked = replica.checked;
  draft.loss = replica.loss;
  DF_ASSIGN(const std::vector<Output> found, AddFiniteChecks(draft));
  const bool waits = draft.spec.train->on_nan != TrainSpec::OnNan::kWarn;
  std::map<std::string, NodeId> gates;  // by device
  for (const auto& [variable, writers] : replica.writers) {
    DF_ASSIGN(const std::string device, DeviceOfGate(draft, variable));
    auto gate = gates.find(device);
    if (gate == gates.end()) {
      DF_ASSIGN(const int rank, RankOf(draft.cluster, device));
      GraphOps ops(graph, "train", CpuOf(draft.cluster, rank));
      // The token is there anyhow.
      std::vector<Output> values = {Output{ops.Add("share", "_ShareParts", {replica.token}).node, 1}};
      if (waits) values.push_back(found[0]);
      ops.set_device(device);
      const NodeId added = ops.Add("gate", kUpdateGateOp, values).node;
      DF_TRY(ops.status());
      gate = gates.emplace(device, added).first;
      replica.step.signature.targets.push_back(added);
    }
    for (const NodeId writer : writers) {
      graph.mutable_node(writer).attrs.Set(kGatedAttr, true);
      graph.AddControlEdge(gate->second, writer);
    }
  }
  return found[0];
}

Status AddUpdateGates(JobGraphDraft& draft) {
  if (draft.spec.train->on_nan == TrainSpec::OnNan::kUnchecked) return Status();
  Graph& graph = draft.job.graph;
  DF_ASSIGN(const std::vector<Output> found, AddFiniteChecks(draft));
  if (!draft.replicated.empty()) return AddReplicaGates(found, draft);
  DF_ASSIGN(const std::set<int> ranks, RanksAtWork(draft));
  std::map<std::string, NodeId> gates;  // by device
  for (const int rank : ranks) {
    DF_ASSIGN(gates[CpuOf(draft.cluster, rank)], AddGate(draft, found, CpuOf(draft.cluster, rank)));
  }
  for (const auto& [variable, writers] : draft.writers) {
    if (!Waits(draft, variable)) continue;
    DF_ASSIGN(const std::string device, DeviceOfGate(draft, variable));
    if (!gates.contains(device)) {
      DF_ASSIGN(gates[device], AddGate(draft, found, device));
    }
    const NodeId gate = gates.at(device);
    for (const NodeId writer : writers) {
      graph.mutable_node(writer).attrs.Set(kGatedAttr, true);
      graph.AddControlEdge(gate, writer);
    }
  }
  draft.job.checked.fetches = {draft.loss};
  if (draft.spec.train->clip_norm) draft.job.checked.fetches.push_back(draft.checked[0].values[1].value);
  draft.job.checked.fetches.push_back(found[0]);
  return Status();
}

}  // namespace dfrun
