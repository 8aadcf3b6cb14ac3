// Removes Identities: readers take the value from its source, and wait for the Identity's control inputs.
//
// TensorFlow's gradients give each gradient of an op by an Identity that waits, by a NoOp, for all gradients of that
// op. A reader gets control edges from the control inputs of such a NoOp, since to wait for a value is to wait for its
// sources; where one of these is an input of the reader, or of the node that makes one, there is nothing to wait for. A
// NoOp for which nothing waits any more is removed too.
//
// An Identity stays where it reads a variable by reference, since it has the variable's value at the time when it runs;
// where it has a device that its source has not; where nothing reads it. In graphs with control flow, where waiting
// passes deadness on, it also stays where it waits or is awaited, and behind a node of control flow.
#include <algorithm>
#include <vector>

#include "src/base/sort_unique.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/has_refs.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

// The number of control edges that cost no more than a node.
constexpr size_t kMaxWaits = 16;

bool Has(const std::vector<NodeId>& ids, NodeId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool IsOneWith(const Node& node, const Node& source) {
  const bool is_where_source_is = node.device.empty() || node.device == source.device;
  const bool is_free = node.colocate_with.empty() || node.colocate_with == source.name;
  return is_where_source_is && (is_free || node.colocate_with == source.colocate_with);
}

// One run of the pass. It moves edges in the graph, then removes the nodes that nothing needs.
class Remover {
 public:
  explicit Remover(Graph& graph)
      : graph_(graph),
        consumers_(graph.BuildConsumers()),
        has_control_flow_(HasControlFlow(graph)),
        stands_for_(static_cast<size_t>(graph.num_nodes())),
        waits_(stands_for_.size()) {}

  Status Run() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    bool removes = false;
    for (NodeId id : order) {
      MoveEdges(graph_.mutable_node(id));
      const Node& node = graph_.node(id);
      if (!MayGo(node)) continue;
      stands_for_[static_cast<size_t>(id)] = node.inputs[0];
      waits_[static_cast<size_t>(id)] = WaitsOf(node);
      removes = true;
    }
    if (!removes) return Status();
    const std::vector<bool> is_idle = FindIdleNoOps(order);
    GraphRebuilder rebuilder = GraphRebuilder::Taking(graph_);
    for (NodeId id : order) {
      if (!IsGone(id) && !is_idle[static_cast<size_t>(id)]) rebuilder.Keep(id);
    }
    DF_ASSIGN(graph_, rebuilder.Finish());
    return Status();
  }

 private:
  bool IsGone(NodeId id) const { return stands_for_[static_cast<size_t>(id)].valid(); }

  bool MayGo(const Node& node) const {
    if (node.op->name != "Identity" || !node.inputs[0].valid() || graph_.is_ref(node.inputs[0]) || HasRefs(node)) {
      return false;
    }
    const Node& source = graph_.node(node.inputs[0].node);
    const auto readers = consumers_.of(node.id);
    if (readers.empty() || !IsOneWith(node, source)) return false;
    if (!has_control_flow_) return WaitsOf(node).size() <= kMaxWaits;
    const bool is_awaited = std::any_of(readers.begin(), readers.end(), [](const auto& edge) { return edge.port < 0; });
    return !is_awaited && node.control_inputs.empty() && source.op->traits.control_flow == ControlFlowKind::kNone;
  }

  // A node whose end says no more than that its inputs were there.
  bool HasOnlyValues(const Node& node) const {
    return !node.op->is_stateful && node.num_inputs() > 0 && node.num_outputs() > 0 && !HasRefs(node) &&
           !ReadsRef(graph_, node);
  }

  // The nodes that a reader of an Identity has to wait for, beside its value.
  std::vector<NodeId> WaitsOf(const Node& identity) const {
    std::vector<NodeId> waits;
    for (NodeId id : identity.control_inputs) AddWaits(identity, id, waits);
    std::erase_if(waits, [&](NodeId id) { return IsVain(identity, id); });
    SortUnique(waits);
    return waits;
  }

  void AddWaits(const Node& identity, NodeId id, std::vector<NodeId>& waits) const {
    const Node& node = graph_.node(id);
    if (node.op->name == "NoOp" && waits.size() <= kMaxWaits) {
      for (NodeId before : node.control_inputs) AddWaits(identity, before, waits);
    } else if (!HasOnlyValues(node)) {
      waits.push_back(id);
    } else if (!IsVain(identity, id)) {
      for (Output input : node.inputs) waits.push_back(input.node);
      waits.insert(waits.end(), node.control_inputs.begin(), node.control_inputs.end());
    }
  }

  // Returns true where the node `before` has run in any case when the inputs of the reader are there.
  bool IsVain(const Node& reader, NodeId before) const {
    const Node& node = graph_.node(before);
    const bool is_always_there = node.inputs.empty() && node.control_inputs.empty() && !node.op->is_stateful;
    if (is_always_there && node.num_outputs() > 0) return true;
    return std::any_of(reader.inputs.begin(), reader.inputs.end(), [&](Output input) {
      if (!input.valid() || input.node == before) return input.valid();
      const Node& source = graph_.node(input.node);
      const auto reads = [&](Output further) { return further.valid() && further.node == before; };
      return Has(source.control_inputs, before) || std::any_of(source.inputs.begin(), source.inputs.end(), reads);
    });
  }

  // Moves edges from removed Identities to the values that replace them.
  void MoveEdges(Node& node) const {
    std::vector<NodeId> waits;
    for (Output& input : node.inputs) {
      if (!input.valid() || !IsGone(input.node)) continue;
      const std::vector<NodeId>& more = waits_[static_cast<size_t>(input.node)];
      waits.insert(waits.end(), more.begin(), more.end());
      input = stands_for_[static_cast<size_t>(input.node)];
    }
    std::erase_if(waits, [&](NodeId id) { return IsVain(node, id); });
    for (NodeId& id : node.control_inputs) {
      if (!IsGone(id)) continue;
      const std::vector<NodeId>& more = waits_[static_cast<size_t>(id)];
      waits.insert(waits.end(), more.begin(), more.end());
      id = stands_for_[static_cast<size_t>(id)].node;
    }
    node.control_inputs.insert(node.control_inputs.end(), waits.begin(), waits.end());
    SortUnique(node.control_inputs);
  }

  // NoOps for which something waited that does no more.
  std::vector<bool> FindIdleNoOps(const std::vector<NodeId>& order) const {
    std::vector<bool> is_idle(stands_for_.size(), false);
    const Consumers now = graph_.BuildConsumers();
    const auto is_over = [&](const Consumers::Edge& edge) {
      return IsGone(edge.node) || is_idle[static_cast<size_t>(edge.node)];
    };
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const auto readers = now.of(*id);
      is_idle[static_cast<size_t>(*id)] = graph_.node(*id).op->name == "NoOp" && !consumers_.of(*id).empty() &&
                                          std::all_of(readers.begin(), readers.end(), is_over);
    }
    return is_idle;
  }

  Graph& graph_;
  const Consumers consumers_;  // before any edge moved
  const bool has_control_flow_;
  std::vector<Output> stands_for_;          // by node: the value read instead of a removed Identity; else invalid
  std::vector<std::vector<NodeId>> waits_;  // by node: of a removed Identity
};

Status RemoveIdentity(Graph& graph, const PassContext& /*context*/) {
  return Remover(graph).Run();
}

GRAPH_PASS("remove_identity", 120, &RemoveIdentity);

}  // namespace
}  // namespace dfrun
