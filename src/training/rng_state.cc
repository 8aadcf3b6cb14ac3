#include "src/training/rng_state.h"

#include "src/graph/colocation_head.h"
#include "src/session/random_sequences.h"

namespace dfrun {
namespace {

Result<std::string> FixedDevice(const Node& node, const JobGraphDraft& draft) {
  DF_ASSIGN(const DeviceName constraint, DeviceName::Parse(HeadOfColocation(draft.job.graph, node).device));
  DF_ASSIGN(const DeviceName worker, DeviceName::Parse(draft.workers[0]));
  if (constraint.Matches(worker)) return draft.workers[0];
  for (const ClusterDevice& device : draft.cluster.devices) {
    if (constraint.Matches(device.name)) return device.name.ToString();
  }
  return InvalidArgument(draft.job.graph.Describe(node.id), ": no device matches '", node.device, "'");
}

}  // namespace

Status SaveRngState(JobGraphDraft& draft) {
  Graph& graph = draft.job.graph;
  std::vector<NodeId> random;
  for (const Node& node : graph.nodes()) {
    if (HasRandomSequence(node)) random.push_back(node.id);
  }
  for (NodeId id : random) {
    DF_ASSIGN(std::string device, FixedDevice(graph.node(id), draft));
    Node& node = graph.mutable_node(id);
    node.device = device;
    node.attrs.Set("_position", node.name);
    GraphOps ops(graph, node.name, std::move(device));
    const AttrMap of_node = {{"position", graph.node(id).name}};
    draft.saved.push_back(ops.Add("position", "RandomPosition", {}, of_node).node);
    draft.job.rewind.targets.push_back(ops.Add("rewind", "RewindRandomPosition", {}, of_node).node);
    DF_TRY(ops.status());
    for (const NodeId with : {draft.saved.back(), draft.job.rewind.targets.back()}) {
      graph.mutable_node(with).colocate_with = graph.node(id).name;
    }
  }
  return Status();
}

}  // namespace dfrun
