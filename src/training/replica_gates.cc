#include "src/training/replica_gates.h"

#include <algorithm>
#include <map>

#include "src/framework/step/replica_findings.h"
#include "src/graph/update_gate.h"
#include "src/training/rank_devices.h"

namespace dfrun {
namespace {

using OnNan = TrainSpec::OnNan;

// Steps of a replica behind each other that end the job; 0: none do.
int64_t LimitOf(const TrainSpec& train) {
  if (train.on_nan == OnNan::kStop) return 1;
  return train.on_nan == OnNan::kSkip ? std::min(train.most_skipped, train.steps) : 0;
}

class ReplicaGates {
 public:
  ReplicaGates(const std::vector<Output>& found, JobGraphDraft& draft)
      : found_(found), draft_(draft), graph_(draft.job.graph), train_(*draft.spec.train) {}

  Status Add() {
    std::map<int, int> replicas_on;  // by rank
    for (const CheckedValues& checked : draft_.checked) {
      DF_ASSIGN(const int rank, RankOf(draft_.cluster, checked.device));
      ranks_.push_back(rank);
      ++replicas_on[rank];
    }
    std::map<int, int> groups;  // by rank: the last one
    for (size_t r = 0; r < found_.size(); ++r) {
      const int rank = ranks_[r];
      DF_TRY(AddReplica(r, replicas_on[rank] == 1 ? 0 : ++groups[rank]));
    }
    DF_TRY(GateWriters());
    DF_TRY(AddReader());
    return AddChecked();
  }

 private:
  GraphOps OpsOf(size_t replica) {
    return {graph_, StrCat("replica_", replica, "/train"), CpuOf(draft_.cluster, ranks_[replica])};
  }

  // Adds what one replica counts, and its gate.
  Status AddReplica(size_t replica, int group) {
    if (group > kMaxGateGroups) {
      return InvalidArgument(draft_.LocationText(train_.location), "more than ", kMaxGateGroups, " replicas with ",
                             "variables of their own share a rank: start more ranks");
    }
    GraphOps ops = OpsOf(replica);
    const Shape shape({ReplicaFindings::kElements});
    const Output findings = ops.Add("not_finite", "VariableV2", {}, {{"shape", shape}, {"dtype", DType::kInt64}});
    const Output none = ops.Const("not_finite/none", Tensor::Vector<int64_t>({0, 0, 0, 0}));
    const Output withheld =
        ops.Add("findings", kReplicaFindingsOp, {findings, found_[replica]}, {{"limit", LimitOf(train_)}});
    DF_TRY(ops.status());
    findings_.push_back(findings);
    draft_.initial_values.emplace_back(findings.node, none);
    DF_TRY(draft_.KeepVariable(findings.node));
    draft_.kept.back().of_strategy = true;
    draft_.job.step.signature.targets.push_back(withheld.node);
    if (train_.on_nan == OnNan::kWarn) return Status();
    const Output gate = ops.Add("gate", kUpdateGateOp, {withheld});
    DF_TRY(ops.status());
    graph_.mutable_node(gate.node).attrs.Set(kGateGroupAttr, int64_t{group});
    gates_.push_back({gate.node, group});
    draft_.job.step.signature.targets.push_back(gate.node);
    return Status();
  }

  bool IsPosition(NodeId variable) const {
    return std::any_of(draft_.spec.inputs.begin(), draft_.spec.inputs.end(), [&](const InputSpec& input) {
      const NodeId position = draft_.shared.nodes.at(input.position);
      const auto copies = draft_.copies.find(position);
      return variable == position ||
             (copies != draft_.copies.end() &&
              std::find(copies->second.begin(), copies->second.end(), variable) != copies->second.end());
    });
  }

  Status GateWriters() {
    if (gates_.empty()) return Status();
    for (const auto& [variable, writers] : draft_.writers) {
      if (train_.on_nan == OnNan::kSkip && IsPosition(variable)) continue;
      const auto replica = draft_.replica_of.find(variable);
      if (replica == draft_.replica_of.end())
        return Internal("'", graph_.node(variable).name, "', which a step writes, is that of no replica");
      const auto [gate, group] = gates_[static_cast<size_t>(replica->second)];
      for (const NodeId writer : writers) {
        graph_.mutable_node(writer).attrs.Set(kGatedAttr, true);
        graph_.mutable_node(writer).attrs.Set(kGateGroupAttr, group);
        graph_.AddControlEdge(gate, writer);
      }
    }
    return Status();
  }

  Status AddReader() {
    GraphOps ops(graph_, "train", CpuOf(draft_.cluster, draft_.cluster.devices[0].rank));
    std::vector<Output> values = findings_;
    values.push_back(ops.Const("findings/axis", Tensor::Scalar<int32_t>(0)));
    draft_.job.replica_findings.fetches = {ops.Add("findings", "ConcatV2", std::move(values))};
    return ops.status();
  }

  // The losses of all replicas, and the first finding of a step that is run again.
  Status AddChecked() {
    for (const CheckedValues& checked : draft_.checked) draft_.job.checked.fetches.push_back(checked.values[0].value);
    GraphOps ops(graph_, "train", draft_.workers[0]);
    draft_.job.checked.fetches.push_back(ops.Add("finite", kFirstNotFiniteOp, found_));
    return ops.status();
  }

  struct Gate {
    NodeId node;
    int64_t group;
  };

  const std::vector<Output>& found_;
  JobGraphDraft& draft_;
  Graph& graph_;
  const TrainSpec& train_;
  std::vector<int> ranks_;        // by replica, as the next ones
  std::vector<Output> findings_;  // variables
  std::vector<Gate> gates_;       // none with `warn`
};

}  // namespace

Status AddReplicaGates(const std::vector<Output>& found, JobGraphDraft& draft) {
  return ReplicaGates(found, draft).Add();
}

}  // namespace dfrun
