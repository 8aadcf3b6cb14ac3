#include "src/training/shares/replica_reads.h"

#include <vector>

#include "src/training/checks/strategy_checks.h"
#include "src/training/rank_devices.h"

namespace dfrun {
namespace {

Status CheckOtherInputs(const JobGraphDraft& draft, const Consumers& consumers, const std::vector<NodeId>& snapshots) {
  const StrategyWords words = WordsOf(*draft.spec.train);
  for (const InputSpec& input : draft.spec.inputs) {
    if (input.all) continue;
    const NodeId position = draft.shared.nodes.at(input.position);
    for (const NodeId id : snapshots) {
      if (draft.job.graph.node(id).inputs[0].node != position || consumers.of(id).empty()) continue;
      return InvalidArgument(draft.LocationText(input.location), "input '", input.name, "' has a position of its own, ",
                             "and with ", words.name,
                             " replicas share out one: tie it to the loss's input by 'with', or ", words.otherwise);
    }
  }
  return Status();
}

}  // namespace

const InputSpec* InputOfShares(const JobSpec& spec) {
  if (spec.train->input < 0) return nullptr;
  const InputSpec& input = spec.inputs[static_cast<size_t>(spec.train->input)];
  return input.all ? nullptr : &input;
}

Result<SubgraphMap> ReplicaReads::Add(int number, const std::string& device) {
  Graph& graph = draft_.job.graph;
  ReplicaApart& replica = draft_.apart[static_cast<size_t>(number)];
  replica.device = device;
  replica.counter = counter_;
  const std::string scope = draft_.apart.size() > 1 ? StrCat("train/replica_", number) : "train";
  GraphOps ops(graph, scope, home_);
  replica.token = ops.Add("token", "_TakeShare", {counter_}, {{"replica", int64_t{number}}});
  DF_ASSIGN(std::string host, HostOf(draft_.cluster, device));
  ops.set_device(std::move(host));
  const Output position = ops.Add("share", "_ShareParts", {replica.token});
  const InputSpec* const input = InputOfShares(draft_.spec);
  SubgraphMap map = draft_.shared;
  for (const VariableSpec& v : draft_.spec.variables) {
    const NodeId variable = draft_.shared.nodes.at(v.node);
    Output& value = map.outputs[SubgraphMap::OutputKey({v.node, 0})];
    if (input != nullptr && v.node == input->position) {
      value = position;
      continue;
    }
    ops.set_device(graph.node(variable).device);
    const std::string name = graph.node(variable).name + "/snapshot";
    value = ops.Add(name, "_SnapshotVariable", {{variable, 0}, replica.token}, {{"copies", true}});
    replica.snapshots.push_back(value.node);
  }
  DF_TRY(ops.status());
  return map;
}

void ReplicaReads::ShareTables(const Replicas& replicas) {
  for (const Replicas::Trained& trained : replicas.trained()) {
    if (!trained.gradient.is_sparse) continue;
    for (ReplicaApart& replica : draft_.apart) {
      for (const NodeId id : replica.snapshots) {
        Node& node = draft_.job.graph.mutable_node(id);
        if (node.inputs[0].node == trained.variable) node.attrs.Set("copies", false);
      }
    }
  }
}

Status ReplicaReads::KeepUsed() {
  const Consumers consumers = draft_.job.graph.BuildConsumers();
  for (ReplicaApart& replica : draft_.apart) {
    DF_TRY(CheckOtherInputs(draft_, consumers, replica.snapshots));
    std::erase_if(replica.snapshots, [&](NodeId id) { return consumers.of(id).empty(); });
  }
  return Status();
}

}  // namespace dfrun
