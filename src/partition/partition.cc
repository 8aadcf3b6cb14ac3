#include "src/partition/partition.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/framework/device/device_factory.h"
#include "src/graph/order/participants.h"
#include "src/graph/order/transfer_depth.h"
#include "src/partition/channels.h"
#include "src/partition/deadness.h"
#include "src/partition/distributed_loops.h"
#include "src/partition/message_nodes.h"
#include "src/partition/remote_reads.h"

namespace dfrun {
namespace {

constexpr NodeId kNone = -1;

// Returns the index of each node's device in the cluster.
Result<std::vector<int>> DevicesOf(const Graph& graph, const Cluster& cluster) {
  std::unordered_map<std::string, int> index;
  for (size_t i = 0; i < cluster.devices.size(); ++i) {
    index.emplace(cluster.devices[i].name.ToString(), static_cast<int>(i));
  }
  std::vector<int> devices;
  devices.reserve(static_cast<size_t>(graph.num_nodes()));
  for (const Node& node : graph.nodes()) {
    auto it = index.find(node.device);
    if (it == index.end()) {
      return InvalidArgument(graph.Describe(node.id), " is on '", node.device,
                             "', which is no device of the cluster; the devices are ", cluster.ListDevices());
    }
    devices.push_back(it->second);
  }
  return devices;
}

// One call of PartitionGraph(). A part is the graph of one device.
class Partitioner {
 public:
  // `transfer_depth`: by node (transfer_depth.h).
  Partitioner(const Graph& graph, const Cluster& cluster, std::vector<int> device, std::vector<int> transfer_depth,
              const DistributedFrames& loops, const ChannelTable& channels, const PartitionOptions& options)
      : graph_(graph),
        cluster_(cluster),
        options_(options),
        device_(std::move(device)),
        transfer_depth_(std::move(transfer_depth)),
        loops_(loops),
        channels_(channels),
        leaving_(device_.size()),
        recvs_(static_cast<size_t>(channels.size()), kNone),
        sends_(recvs_),
        token_(cluster.devices.size(), kNone),
        new_id_(device_.size(), kNone) {
    parts_.resize(cluster.devices.size());
    names_.resize(cluster.devices.size());
    for (const int at : device_) {
      if (parts_[at]) continue;
      parts_[at].emplace(graph.ops());
      parts_[at]->TakeLocations(graph);
      parts_[at]->set_extras(graph.extras());
      names_[at] = cluster.devices[at].name.ToString();
    }
    for (int i = 0; i < channels.size(); ++i) leaving_[channels.at(i).source.node].push_back(i);
  }

  Result<std::vector<Partition>> Run(const std::vector<NodeId>& order) {
    may_be_dead_ = FindDeadness(graph_, order);
    for (NodeId id : order) {
      DF_TRY(AddNode(id));
      for (int channel : leaving_[id]) DF_TRY(AddSend(channel));
    }
    CloseLoops();
    std::vector<Partition> partitions;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i]) continue;
      partitions.push_back({names_[i], cluster_.devices[i].rank, *std::move(parts_[i])});
    }
    return partitions;
  }

 private:
  struct BackEdge {
    NodeId reader;  // a node of the whole graph
    int input;
  };

  Status AddNode(NodeId id) {
    Node node = graph_.node(id);
    const int at = device_[id];
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Output source = node.inputs[i];
      if (!source.valid()) continue;
      if (device_[source.node] != at) {
        DF_ASSIGN(node.inputs[i], FromElsewhere(source, at));
      } else {
        node.inputs[i].node = new_id_[source.node];
        if (new_id_[source.node] == kNone) back_edges_.push_back({id, i});
      }
    }
    DF_ASSIGN(node.control_inputs, ControlInputs(graph_.node(id)));
    if (IsParticipant(node)) SetTransferDepth(transfer_depth_[id], at, node.attrs);
    new_id_[id] = parts_[at]->AddResolved(std::move(node));
    return Status();
  }

  Result<Output> FromElsewhere(Output source, int at) {
    if (IsCopied(graph_.node(source.node))) return Output{Copy(source.node, at), source.port};
    DF_ASSIGN(const NodeId recv, Recv(channels_.Find(source, at)));
    return Output{recv, 0};
  }

  NodeId Copy(NodeId id, int at) {
    auto [it, is_new] = copies_.try_emplace({id, at}, kNone);
    if (is_new) {
      Node node = graph_.node(id);
      node.device = names_[at];
      it->second = parts_[at]->AddResolved(std::move(node));
    }
    return it->second;
  }

  Result<std::vector<NodeId>> ControlInputs(const Node& node) {
    const int at = device_[node.id];
    std::vector<NodeId> inputs;
    for (NodeId control : node.control_inputs) {
      if (device_[control] == at) {
        inputs.push_back(new_id_[control]);
      } else if (!IsReadBySend(graph_, device_, node, control)) {
        DF_ASSIGN(const NodeId recv, Recv(channels_.Find({control, Channel::kControl}, at)));
        inputs.push_back(recv);
      }
    }
    if (IsAfterReads(node)) AddSendsOfVariables(node, inputs);
    SortUnique(inputs);
    return inputs;
  }

  // Appends the Sends of the variables that the node updates. They come before it in the order, each right after its
  // variable.
  void AddSendsOfVariables(const Node& node, std::vector<NodeId>& inputs) const {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!node.input_types[i].is_ref) continue;
      for (int channel : leaving_[node.inputs[i].node]) {
        if (channels_.at(channel).source == node.inputs[i]) inputs.push_back(sends_[channel]);
      }
    }
  }

  bool IsCompressed(const Channel& c) const {
    if (c.is_control() || graph_.dtype(c.source) != DType::kFloat) return false;
    const auto from = static_cast<size_t>(cluster_.devices[device_[c.source.node]].rank);
    const auto to = static_cast<size_t>(cluster_.devices[c.to].rank);
    if (from == to) return false;
    if (options_.compression == WireCompression::kRanks || IsMarkedCompressed(graph_.node(c.source.node))) return true;
    return options_.compression == WireCompression::kHosts && !options_.hosts.empty() &&
           options_.hosts[from] != options_.hosts[to];
  }

  DType DTypeOnWay(const Channel& c) const {
    if (c.is_control()) return DType::kBool;
    return IsCompressed(c) ? DType::kBfloat16 : graph_.dtype(c.source);
  }

  // The compressed value that all Sends of `source` carry, from one node. The host's node counts the loss; on other
  // devices it is a Cast, which has the same bits.
  Result<Output> Compressed(const Output& source) {
    auto [it, is_new] = compressed_.try_emplace({source.node, source.port}, kNone);
    if (!is_new) return Output{it->second, 0};
    const Node& node = graph_.node(source.node);
    const int at = device_[source.node];
    NodeSpec spec;
    spec.name = graph_.UniqueName(CompressedName(node, source.port));
    spec.device = names_[at];
    spec.location = node.location;
    spec.inputs = {{new_id_[source.node], source.port}};
    if (*cluster_.devices[at].name.type == HostDeviceType()) {
      spec.op = "_Compress";
    } else {
      spec.op = "Cast";
      spec.attrs = {{"DstT", DType::kBfloat16}, {"Truncate", true}};
      SetTransferDepth(transfer_depth_[source.node], at, spec.attrs);
    }
    DF_ASSIGN(it->second, parts_[at]->AddNode(std::move(spec)));
    return Output{it->second, 0};
  }

  Result<NodeId> Restored(const Channel& c, NodeId recv) {
    const Node& node = graph_.node(c.source.node);
    NodeSpec spec;
    spec.name = graph_.UniqueName(RestoredName(node, c.id));
    spec.op = "Cast";
    spec.device = names_[c.to];
    spec.location = node.location;
    spec.inputs = {{recv, 0}};
    spec.attrs = {{"DstT", DType::kFloat}};
    SetTransferDepth(transfer_depth_[c.source.node] + 1, c.to, spec.attrs);
    return parts_[c.to]->AddNode(std::move(spec));
  }

  // Attrs that both ends of a channel have.
  AttrMap EndAttrs(const Channel& c, int peer) const {
    const bool control = c.is_control();
    const bool can_be_dead = may_be_dead_[c.source.node] || loops_.FrameOf(c.source.node) != 0;
    const DType dtype = DTypeOnWay(c);
    const PartialShape shape = control ? PartialShape::Scalar() : graph_.shape(c.source);
    const std::string name = control ? "^" + graph_.node(c.source.node).name : OutputName(graph_, c.source);
    return {{"tensor_name", name},
            {"send_device", names_[device_[c.source.node]]},
            {"recv_device", names_[c.to]},
            {"channel", static_cast<int64_t>(c.id)},
            {"peer", static_cast<int64_t>(cluster_.devices[peer].rank)},
            {"static_shape", !can_be_dead && IsPlain(dtype) && shape.IsFullyDefined()},
            {"can_be_dead", can_be_dead},
            {"shape", shape}};
  }

  // Marks a node by which values come to a device or leave it. A host's work is not recorded as a whole, so its nodes
  // need no mark.
  void SetTransferDepth(int transfer_depth, int at, AttrMap& attrs) const {
    if (*cluster_.devices[at].name.type != HostDeviceType()) attrs.Set(kTransferDepthAttr, int64_t{transfer_depth});
  }

  Result<NodeId> AddEnd(const char* op, const Channel& c, int at, NodeSpec spec) {
    const Node& source = graph_.node(c.source.node);
    SetTransferDepth(transfer_depth_[c.source.node] + 1, at, spec.attrs);
    spec.name = graph_.UniqueName(StrCat(source.name, "/", op, "_", c.id));
    spec.op = op;
    spec.device = names_[at];
    spec.location = source.location;
    return parts_[at]->AddNode(std::move(spec));
  }

  // Adds the Send right after its source, so that nodes that are added later can wait for it.
  Status AddSend(int channel) {
    const Channel& c = channels_.at(channel);
    const int at = device_[c.source.node];
    NodeSpec spec;
    spec.attrs = EndAttrs(c, c.to);
    if (c.is_control()) {
      DF_ASSIGN(const NodeId token, Token(at));
      spec.inputs = {{token, 0}};
      spec.control_inputs = {new_id_[c.source.node]};
    } else if (IsCompressed(c)) {
      DF_ASSIGN(const Output compressed, Compressed(c.source));
      spec.inputs = {compressed};
    } else {
      spec.inputs = {{new_id_[c.source.node], c.source.port}};
    }
    DF_ASSIGN(sends_[channel], AddEnd("_Send", c, at, std::move(spec)));
    return Status();
  }

  // Adds the Recv before its first reader. In a loop it runs when its device begins an iteration.
  Result<NodeId> Recv(int channel) {
    if (recvs_[channel] != kNone) return recvs_[channel];
    const Channel& c = channels_.at(channel);
    NodeSpec spec;
    if (const int32_t frame = loops_.FrameOf(c.source.node); frame != 0) {
      spec.control_inputs = {new_id_[loops_.drivers.at({frame, names_[c.to]})]};
    }
    spec.attrs = EndAttrs(c, device_[c.source.node]);
    spec.attrs.Set("tensor_type", DTypeOnWay(c));
    DF_ASSIGN(recvs_[channel], AddEnd("_Recv", c, c.to, std::move(spec)));
    if (IsCompressed(c)) {
      DF_ASSIGN(recvs_[channel], Restored(c, recvs_[channel]));
    }
    return recvs_[channel];
  }

  // The value that the Sends of a device's control edges carry, one node for all of them.
  Result<NodeId> Token(int at) {
    if (token_[at] != kNone) return token_[at];
    NodeSpec spec;
    spec.name = graph_.UniqueName("_token");
    spec.op = "Const";
    spec.attrs = {{"dtype", DType::kBool}, {"value", Tensor::Scalar(true)}};
    spec.device = names_[at];
    DF_ASSIGN(token_[at], parts_[at]->AddNode(std::move(spec)));
    return token_[at];
  }

  void CloseLoops() {
    for (const BackEdge& edge : back_edges_) {
      const Output source = graph_.node(edge.reader).inputs[edge.input];
      Graph& part = *parts_[device_[edge.reader]];
      part.mutable_node(new_id_[edge.reader]).inputs[edge.input] = {new_id_[source.node], source.port};
    }
  }

  const Graph& graph_;
  const Cluster& cluster_;
  const PartitionOptions& options_;
  const std::vector<int> device_;          // by node
  const std::vector<int> transfer_depth_;  // by node
  const DistributedFrames& loops_;
  const ChannelTable& channels_;
  std::vector<bool> may_be_dead_;                        // by node
  std::vector<std::vector<int>> leaving_;                // by node: the channels that carry its outputs or its end
  std::vector<NodeId> recvs_;                            // by channel, in the part that receives: the node that readers
                                                         // read
  std::vector<NodeId> sends_;                            // by channel, in the part that sends
  std::vector<NodeId> token_;                            // by part
  std::vector<NodeId> new_id_;                           // by node, in its part
  std::map<std::pair<NodeId, int>, NodeId> copies_;      // Consts, by node and part
  std::map<std::pair<NodeId, int>, NodeId> compressed_;  // by output
  std::vector<std::optional<Graph>> parts_;              // by device of the cluster: of those that have nodes
  std::vector<std::string> names_;                       // their names
  std::vector<BackEdge> back_edges_;
};

bool HasLoops(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.op->traits.control_flow == ControlFlowKind::kEnter; });
}

// Returns a topological order that begins with `first`.
Result<std::vector<NodeId>> OrderWith(const Graph& graph, const std::vector<NodeId>& first) {
  DF_ASSIGN(const std::vector<NodeId> order, OrderWithParticipants(graph));
  std::vector<bool> is_first(order.size());
  for (NodeId id : first) is_first[id] = true;
  std::vector<NodeId> all = first;
  std::copy_if(order.begin(), order.end(), std::back_inserter(all), [&](NodeId id) { return !is_first[id]; });
  return all;
}

Result<std::vector<Partition>> Cut(const Graph& graph, const DistributedFrames& loops, const Cluster& cluster,
                                   int32_t* next_channel, const PartitionOptions& options) {
  DF_ASSIGN(std::vector<int> device, DevicesOf(graph, cluster));
  DF_ASSIGN(const std::vector<NodeId> order, OrderWith(graph, loops.first));
  DF_ASSIGN(const ChannelTable channels, FindChannels(graph, order, device, loops, next_channel));
  DF_ASSIGN(std::vector<int> transfer_depth, FindTransferDepths(graph, order, device));
  return Partitioner(graph, cluster, std::move(device), std::move(transfer_depth), loops, channels, options).Run(order);
}

}  // namespace

Result<std::vector<Partition>> PartitionGraph(const Graph& placed, const Cluster& cluster, int32_t* next_channel,
                                              const PartitionOptions& options) {
  if (!HasLoops(placed)) {
    DF_ASSIGN(const std::optional<Graph> ordered, OrderRemoteReads(placed));
    return Cut(ordered ? *ordered : placed, DistributedFrames(), cluster, next_channel, options);
  }
  Graph graph = placed.Clone();
  DF_TRY(PrepareLoops(graph));
  DF_ASSIGN(std::optional<Graph> ordered, OrderRemoteReads(graph));
  if (ordered) graph = *std::move(ordered);
  DF_ASSIGN(const DistributedFrames loops, DistributeLoops(graph));
  return Cut(graph, loops, cluster, next_channel, options);
}

}  // namespace dfrun
