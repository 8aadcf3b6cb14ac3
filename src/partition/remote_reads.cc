#include "src/partition/remote_reads.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/sort_unique.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/participants.h"
#include "src/graph/order/read_order.h"
#include "src/graph/wire_compression.h"
#include "src/partition/channels.h"
#include "src/partition/message_nodes.h"

namespace dfrun {
namespace {

std::vector<VariableRead> FindRemoteReads(const Graph& graph) {
  std::vector<VariableRead> reads;
  for (const Node& node : graph.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (ReadsByRef(graph, node, i) && graph.node(node.inputs[i].node).device != node.device) {
        reads.push_back({node.id, i});
      }
    }
  }
  return reads;
}

// Whether the node runs, or does not run, independently of the nodes that it waits for, or runs in another iteration
// than they.
bool Decides(const Node& node) {
  switch (node.op->traits.control_flow) {
    case ControlFlowKind::kNone:
    case ControlFlowKind::kSwitch:
    case ControlFlowKind::kLoopCond:
      return IsParticipant(node);
    default:
      return true;
  }
}

// One call of OrderRemoteReads().
class ReadSender {
 public:
  ReadSender(const Graph& placed, const ReadOrder& order, const std::vector<VariableRead>& reads)
      : placed_(placed), order_(order), reads_(reads), graph_(placed.Clone()) {}

  Result<Graph> Run() {
    DF_ASSIGN(const FrameTree frames, BuildFrameTree(placed_));
    frame_of_ = frames.of_node;
    for (size_t i = 0; i < reads_.size(); ++i) {
      if (order_.IsLate(i)) DF_TRY(Redirect(i));
    }
    return std::move(graph_);
  }

 private:
  Status Redirect(size_t i) {
    const auto [reader, input] = reads_[i];
    const Output variable = placed_.node(reader).inputs[static_cast<size_t>(input)];
    const bool is_merge = placed_.node(reader).op->traits.control_flow == ControlFlowKind::kMerge;
    const std::vector<NodeId> waits = WaitsOf(i);
    const auto [made, is_new] = made_.try_emplace({variable.node, variable.port, is_merge, waits}, -1);
    if (is_new) {
      DF_ASSIGN(made->second, AddRead(variable, waits, is_merge));
    }
    graph_.mutable_node(reader).inputs[static_cast<size_t>(input)] = {made->second, 0};
    OrderUpdates(i, variable.node, made->second, waits);
    return Status();
  }

  // The last nodes on the variable's device on the ways from its updates to the reader.
  std::vector<NodeId> WaitsOf(size_t i) const {
    const auto [reader, input] = reads_[i];
    const std::string& home = placed_.node(placed_.node(reader).inputs[static_cast<size_t>(input)].node).device;
    AncestorWalk walk(placed_);
    const auto add = [&](NodeId source) {
      if (source >= 0 && order_.IsAfterUpdate(source, i)) walk.Add(source);
    };
    for (NodeId source : SourcesBeside(placed_.node(reader), input)) add(source);
    std::vector<NodeId> waits;
    while (const Node* node = walk.Next()) {
      if (node->device == home || Decides(*node)) {
        waits.push_back(node->id);
        continue;
      }
      for (NodeId source : SourcesBeside(*node, -1)) add(source);
    }
    SortUnique(waits);
    return waits;
  }

  // Adds a read of the variable. A Merge runs whether the nodes that it waits for do or not, so its read waits through
  // a ControlTrigger.
  Result<NodeId> AddRead(Output variable, const std::vector<NodeId>& waits, bool is_merge) {
    std::vector<NodeId> controls = waits;
    if (is_merge && !waits.empty()) {
      NodeSpec any = SpecAt(variable.node, "ControlTrigger");
      any.control_inputs = waits;
      DF_ASSIGN(const NodeId trigger, graph_.AddNode(std::move(any)));
      controls = {trigger};
    }
    NodeSpec spec = SpecAt(variable.node, "Identity");
    spec.inputs = {variable};
    spec.control_inputs = std::move(controls);
    if (IsMarkedCompressed(placed_.node(variable.node))) MarkCompressed(spec.attrs);
    return graph_.AddNode(std::move(spec));
  }

  NodeSpec SpecAt(NodeId variable, const char* op) const {
    const Node& node = placed_.node(variable);
    NodeSpec spec;
    spec.name = graph_.UniqueName(ReadName(node));
    spec.op = op;
    spec.device = node.device;
    spec.location = node.location;
    return spec;
  }

  // Makes the updates that come after the reader wait for this read, and no longer for the reader. The one whose output
  // it reads, and those that it waits for, come before it.
  void OrderUpdates(size_t i, NodeId variable, NodeId read, const std::vector<NodeId>& waits) {
    const int32_t frame = frame_of_[static_cast<size_t>(reads_[i].reader)];
    std::vector<NodeId> updates = order_.UpdatesOf(i);
    std::erase_if(updates, [&](NodeId id) {
      return !IsAfterReads(placed_.node(id)) || frame_of_[static_cast<size_t>(id)] != frame;
    });
    if (updates.empty()) return;
    AncestorWalk walk(placed_);
    walk.Add(variable);
    for (NodeId id : waits) walk.Add(id);
    while (const Node* node = walk.Next()) walk.AddSources(*node);
    for (NodeId id : updates) {
      if (walk.added()[static_cast<size_t>(id)]) continue;
      std::erase(graph_.mutable_node(id).control_inputs, reads_[i].reader);
      graph_.AddControlEdge(read, id);
    }
  }

  const Graph& placed_;
  const ReadOrder& order_;
  const std::vector<VariableRead>& reads_;
  Graph graph_;
  std::vector<int32_t> frame_of_;  // by node
  // Keys are the variable, whether the reader is a Merge, and the awaited nodes.
  std::map<std::tuple<NodeId, int32_t, bool, std::vector<NodeId>>, NodeId> made_;
};

}  // namespace

Result<std::optional<Graph>> OrderRemoteReads(const Graph& placed) {
  const std::vector<VariableRead> reads = FindRemoteReads(placed);
  if (reads.empty()) return std::optional<Graph>();
  DF_ASSIGN(const std::vector<NodeId> order, OrderWithParticipants(placed));
  DF_ASSIGN(const ReadOrder read_order, ReadOrder::Create(placed, order, reads, ReadOrder::Ways::kCertain));
  if (!read_order.HasLate()) return std::optional<Graph>();
  DF_ASSIGN(Graph ordered, ReadSender(placed, read_order, reads).Run());
  return std::optional<Graph>(std::move(ordered));
}

}  // namespace dfrun
