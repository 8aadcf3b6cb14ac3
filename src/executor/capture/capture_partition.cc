#include "src/executor/capture/capture_partition.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/executor/capture/capturable_nodes.h"
#include "src/framework/device/graph_capture.h"
#include "src/graph/control_flow.h"
#include "src/graph/dependency_order.h"
#include "src/graph/order/participants.h"
#include "src/graph/order/transfer_depth.h"
#include "src/graph/update_gate.h"

namespace dfrun {
namespace {

using Kind = CapturableNodes::Kind;

// Fewer nodes with work of their own are enqueued as fast as they are launched.
constexpr int kMinNodes = 2;
constexpr int kNoSubgraph = -1;

bool IsEnd(const Node& node) {
  const Boundary boundary = node.op->traits.boundary;
  return boundary == Boundary::kSend || boundary == Boundary::kRecv || IsParticipant(node);
}

// Whether the node has work to enqueue: nodes that only pass values on, and NoOps, have none.
bool HasWork(const Node& node) {
  return node.op->traits.passthrough == Passthrough::kNone && node.op->name != "NoOp";
}

// One call of PartitionForCapture().
class CapturePartitioner {
 public:
  CapturePartitioner(const Graph& graph, const Device& device, CapturableNodes nodes)
      : graph_(graph),
        device_(device),
        kinds_(std::move(nodes.kinds)),
        consumers_(graph.BuildConsumers()),
        depth_(kinds_.size(), 0),
        subgraph_of_(kinds_.size(), kNoSubgraph),
        new_id_(kinds_.size(), -1),
        cut_{Graph(graph.ops()), {}, {}} {
    for (const Node& node : graph.nodes()) {
      has_device_gate_ = has_device_gate_ || node.op->name == kDeviceGateOp;
      if (!nodes.why_not[node.id].empty()) cut_.rest.push_back({node.name, node.op->name, nodes.why_not[node.id]});
    }
  }

  CapturePartition Run() {
    if (!FindDepths()) return {graph_.Clone(), {}, {}};
    FormSubgraphs();
    cut_.graph.TakeLocations(graph_);
    AddSources();
    int deepest = 0;
    for (const NodeId id : order_) deepest = std::max(deepest, depth_[id]);
    for (int depth = 0; depth <= deepest; ++depth) {
      for (const NodeId id : order_) {
        if (depth_[id] == depth && IsOutside(id) && !IsUseless(id)) AddOutside(graph_.node(id));
      }
      for (Subgraph& subgraph : subgraphs_) {
        if (subgraph.depth == depth) AddSubgraph(subgraph);
      }
    }
    return std::move(cut_);
  }

 private:
  struct Subgraph {
    int depth;
    bool is_gated;
    std::vector<NodeId> members;  // in order
    std::vector<Output> inputs;   // outputs of the partition's nodes
    std::vector<NodeId> waits_for;
    std::map<std::pair<NodeId, int32_t>, int32_t> outputs;  // numbers of the members' outputs that leave it
    int index = kNoSubgraph;
    NodeId node = -1;  // in the new graph
  };

  bool IsRecorded(NodeId id) const { return kinds_[id] == Kind::kRecorded; }
  bool IsOutside(NodeId id) const { return kinds_[id] != Kind::kSource && subgraph_of_[id] == kNoSubgraph; }

  // Whether the host leaves the node out of some steps.
  bool IsApart(NodeId id) const { return !has_device_gate_ && IsGated(graph_.node(id)); }

  // The largest number of times that a path to the node leaves the recorded nodes, or changes between gated ones and
  // others.
  int DepthBehind(NodeId before, NodeId id) const {
    if (!IsRecorded(before)) return depth_[before];
    const bool stays = IsRecorded(id) && IsApart(before) == IsApart(id);
    return depth_[before] + (stays ? 0 : 1);
  }

  // Items are the nodes, then for each transfer depth one that stands for all ends of that depth or less.
  // False where there is no order of them: the partitioner has not made the graph.
  bool FindDepths() {
    std::vector<int> transfer_depth;
    for (const Node& node : graph_.nodes()) {
      if (IsEnd(node)) transfer_depth.push_back(TransferDepthOf(node));
    }
    SortUnique(transfer_depth);
    const auto level_of = [&](int number) {
      return static_cast<int32_t>(std::lower_bound(transfer_depth.begin(), transfer_depth.end(), number) -
                                  transfer_depth.begin());
    };
    Dependencies needs;
    const auto add_level = [&](const Node& end) {
      needs.before.push_back(graph_.num_nodes() + level_of(TransferDepthOf(end)));
    };
    for (const Node& node : graph_.nodes()) {
      const auto add = [&](NodeId source) {
        needs.before.push_back(source);
        if (IsParticipant(graph_.node(source))) add_level(graph_.node(source));
      };
      for (const Output& input : node.inputs) add(input.node);
      for (const NodeId control : node.control_inputs) add(control);
      if (node.op->traits.boundary == Boundary::kRecv) add_level(node);
      needs.Close();
    }
    for (size_t level = 0; level < transfer_depth.size(); ++level) {
      if (level > 0) needs.before.push_back(graph_.num_nodes() + static_cast<int32_t>(level) - 1);
      for (const Node& node : graph_.nodes()) {
        const bool leaves = IsEnd(node) && node.op->traits.boundary != Boundary::kRecv;
        if (leaves && TransferDepthOf(node) == transfer_depth[level]) needs.before.push_back(node.id);
      }
      needs.Close();
    }
    const DependencyOrder found = OrderByDependencies(needs);
    if (!found.cycle.empty()) return false;
    depth_.resize(static_cast<size_t>(needs.size()), 0);
    kinds_.resize(depth_.size(), Kind::kOther);
    for (const int32_t item : found.order) {
      for (int32_t i = needs.begin[item]; i < needs.begin[item + 1]; ++i) {
        depth_[item] = std::max(depth_[item], DepthOf(needs.before[i], item));
      }
      if (item < graph_.num_nodes()) order_.push_back(item);
    }
    return true;
  }
  int DepthOf(int32_t before, int32_t item) const {
    if (before >= graph_.num_nodes()) return depth_[before];
    if (item >= graph_.num_nodes()) return depth_[before] + (IsRecorded(before) ? 1 : 0);
    return DepthBehind(before, item);
  }

  void FormSubgraphs() {
    std::map<std::pair<int, bool>, Subgraph> found;
    for (const NodeId id : order_) {
      if (!IsRecorded(id)) continue;
      const bool is_gated = IsApart(id);
      Subgraph& subgraph =
          found.try_emplace({depth_[id], is_gated}, Subgraph{depth_[id], is_gated, {}, {}, {}, {}}).first->second;
      subgraph.members.push_back(id);
    }
    for (auto& [key, subgraph] : found) {
      const auto has_work = [&](NodeId id) { return HasWork(graph_.node(id)); };
      if (std::count_if(subgraph.members.begin(), subgraph.members.end(), has_work) < kMinNodes) continue;
      for (const NodeId id : subgraph.members) subgraph_of_[id] = static_cast<int>(subgraphs_.size());
      subgraphs_.push_back(std::move(subgraph));
    }
  }

  // The constants and variables that nodes outside read.
  void AddSources() {
    const auto add = [&](NodeId id) {
      if (kinds_[id] == Kind::kSource && new_id_[id] < 0) new_id_[id] = cut_.graph.AddResolved(graph_.node(id));
    };
    for (const NodeId id : order_) {
      if (consumers_.of(id).empty()) add(id);
      if (!IsOutside(id) || IsUseless(id)) continue;
      for (const Output& input : graph_.node(id).inputs) add(Variable(input, id).node);
    }
  }

  // The variable behind a reference that a node of another subgraph, or outside, hands on; other values as they are.
  Output Variable(Output value, NodeId reader) const {
    while (graph_.is_ref(value) && IsRecorded(value.node) && subgraph_of_[value.node] != subgraph_of_[reader]) {
      value = graph_.node(value.node).inputs[0];
    }
    return value;
  }

  // Whether subgraphs that read this copy to the device copy its source themselves instead.
  bool IsCopiedBySubgraphs(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.op->name != "_CopyToDevice" || graph_.is_ref(node.inputs[0]) || !node.control_inputs.empty()) return false;
    const Result<Shape> shape = node.output_shapes[0].ToShape();
    if (!shape.ok()) return true;
    return shape->num_elements() * static_cast<int64_t>(DTypeSize(node.output_types[0].dtype)) <= kMaxBytesInOrder;
  }
  // Whether all readers of the copy are subgraphs that copy its source themselves.
  bool IsUseless(NodeId id) const {
    const auto readers = consumers_.of(id);
    return !readers.empty() && IsCopiedBySubgraphs(id) &&
           std::all_of(readers.begin(), readers.end(),
                       [&](const auto& edge) { return edge.port >= 0 && subgraph_of_[edge.node] != kNoSubgraph; });
  }

  // A value of the partition in the new graph.
  Output New(Output value) const {
    const int subgraph = subgraph_of_[value.node];
    if (subgraph == kNoSubgraph) return {new_id_[value.node], value.port};
    return {subgraphs_[subgraph].node, subgraphs_[subgraph].outputs.at({value.node, value.port})};
  }
  // Appends the node to wait for in place of `id`: its subgraph, or its new node.
  void AddWait(NodeId id, std::vector<NodeId>& waits_for) const {
    const NodeId now = subgraph_of_[id] == kNoSubgraph ? new_id_[id] : subgraphs_[subgraph_of_[id]].node;
    if (now >= 0) waits_for.push_back(now);  // else a constant
  }

  void AddOutside(Node node) {
    const NodeId id = node.id;
    std::vector<NodeId> waits_for;
    for (Output& input : node.inputs) {
      const Output value = Variable(input, id);
      if (value != input) AddWait(input.node, waits_for);
      input = New(value);
    }
    for (const NodeId control : node.control_inputs) AddWait(control, waits_for);
    SortUnique(waits_for);
    node.control_inputs = std::move(waits_for);
    new_id_[id] = cut_.graph.AddResolved(std::move(node));
  }

  void AddSubgraph(Subgraph& subgraph) {
    subgraph.index = static_cast<int>(cut_.subgraphs.size());
    cut_.subgraphs.push_back({cut_.graph.UniqueName(StrCat("_unit_", subgraph.index)), Graph(graph_.ops()), {}});
    SubgraphDraft& draft = cut_.subgraphs.back();
    draft.graph.TakeLocations(graph_);
    std::map<NodeId, NodeId> inner;                             // members and their sources
    std::map<std::tuple<NodeId, int32_t, bool>, NodeId> feeds;  // by value and whether it is uploaded
    for (const NodeId id : subgraph.members) AddMember(id, subgraph, draft, inner, feeds);
    Node node;
    for (const NodeId id : subgraph.members) {
      for (const Consumers::Edge& edge : consumers_.of(id)) {
        const bool is_read = edge.port >= 0 && !graph_.is_ref({id, edge.port});
        if (!is_read || subgraph_of_[edge.node] == subgraph_of_[id]) continue;
        if (!subgraph.outputs.try_emplace({id, edge.port}, node.num_outputs()).second) continue;
        AddFetch(draft, {inner.at(id), edge.port}, node.num_outputs());
        node.output_types.push_back(graph_.node(id).output_types[edge.port]);
        node.output_shapes.push_back(graph_.node(id).output_shapes[edge.port]);
      }
    }
    node.name = draft.name;
    node.op = graph_.ops().Find(kCapturedSubgraphOp);
    node.attrs.Set("unit", int64_t{subgraph.index});
    if (subgraph.is_gated) node.attrs.Set(kGatedAttr, true);
    for (const Output& input : subgraph.inputs) {
      node.inputs.push_back(New(input));
      node.input_types.push_back(TypedArg{graph_.dtype(input), false});
    }
    SortUnique(subgraph.waits_for);
    node.control_inputs = std::move(subgraph.waits_for);
    node.device = device_.full_name();
    subgraph.node = cut_.graph.AddResolved(std::move(node));
  }

  void AddMember(NodeId id, Subgraph& subgraph, SubgraphDraft& draft, std::map<NodeId, NodeId>& inner,
                 std::map<std::tuple<NodeId, int32_t, bool>, NodeId>& feeds) {
    Node node = graph_.node(id);
    for (Output& input : node.inputs) {
      const Output value = Variable(input, id);
      if (value != input) AddWait(input.node, subgraph.waits_for);
      input = value;
      if (kinds_[input.node] == Kind::kSource && !inner.contains(input.node)) {
        inner[input.node] = draft.graph.AddResolved(graph_.node(input.node));
      }
      const auto found = inner.find(input.node);
      input = found != inner.end() ? Output{found->second, input.port} : AddFeed(input, subgraph, draft, feeds);
    }
    std::vector<NodeId> waits_for;
    for (const NodeId control : node.control_inputs) {
      if (subgraph_of_[control] == subgraph_of_[id]) {
        waits_for.push_back(inner.at(control));
      } else if (kinds_[control] != Kind::kSource) {
        AddWait(control, subgraph.waits_for);
      }
    }
    SortUnique(waits_for);
    node.control_inputs = std::move(waits_for);
    inner[id] = draft.graph.AddResolved(std::move(node));
  }

  Output AddFeed(Output value, Subgraph& subgraph, SubgraphDraft& draft,
                 std::map<std::tuple<NodeId, int32_t, bool>, NodeId>& feeds) {
    const bool uploads = IsCopiedBySubgraphs(value.node);
    const PartialShape shape = graph_.shape(value);
    if (uploads) value = graph_.node(value.node).inputs[0];
    const auto [feed, is_new] = feeds.try_emplace({value.node, value.port, uploads}, -1);
    if (!is_new) return {feed->second, 0};
    Node node;
    node.name = draft.graph.UniqueName(StrCat("_input_", subgraph.inputs.size()));
    node.op = graph_.ops().Find("_Arg");
    node.attrs.Set("T", graph_.dtype(value));
    node.attrs.Set("index", static_cast<int64_t>(subgraph.inputs.size()));
    node.output_types = {TypedArg{graph_.dtype(value), false}};
    node.output_shapes = {shape};
    node.device = device_.full_name();
    subgraph.inputs.push_back(value);
    draft.uploaded.push_back(uploads);
    feed->second = draft.graph.AddResolved(std::move(node));
    return {feed->second, 0};
  }

  void AddFetch(SubgraphDraft& draft, Output value, int index) {
    Node node;
    node.name = draft.graph.UniqueName(StrCat("_output_", index));
    node.op = graph_.ops().Find("_Retval");
    node.attrs.Set("T", draft.graph.dtype(value));
    node.attrs.Set("index", int64_t{index});
    node.inputs = {value};
    node.input_types = {TypedArg{draft.graph.dtype(value), false}};
    node.device = device_.full_name();
    draft.graph.AddResolved(std::move(node));
  }

  const Graph& graph_;
  const Device& device_;
  bool has_device_gate_ = false;
  std::vector<Kind> kinds_;  // by item: nodes, then transfer depths
  const Consumers consumers_;
  std::vector<int> depth_;        // by item
  std::vector<NodeId> order_;     // the partition's nodes
  std::vector<int> subgraph_of_;  // by node, in subgraphs_
  std::vector<NodeId> new_id_;
  std::vector<Subgraph> subgraphs_;
  CapturePartition cut_;
};

}  // namespace

Result<CapturePartition> PartitionForCapture(const Graph& partition, const Device& device,
                                             const KernelRegistry& kernels) {
  if (HasControlFlow(partition)) return CapturePartition{partition.Clone(), {}, {}};
  DF_ASSIGN(CapturableNodes nodes, FindCapturableNodes(partition, device, kernels));
  return CapturePartitioner(partition, device, std::move(nodes)).Run();
}

}  // namespace dfrun
