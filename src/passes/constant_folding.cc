// Computes once, before any step, values that do not change from step to step. Replaces by Consts
//  * nodes whose inputs are all constant, by running their kernels on the host;
//  * integer scalars and vectors that shape inference knows (Shape of a value whose shape is static), in graphs without
//    control flow, where they may stand in another frame than the values that they are computed from.
// Left alone: stateful nodes, refs, nodes with control inputs or constrained to another type of device, results whose
// size is not known beforehand or too large, and nodes whose kernel is not there or fails (the step will report the
// reason). Nodes that nothing reads any more go, stateful ones and those that update variables aside. A Const has the
// name of the node that it replaces (output k > 0: `name/_k`).
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "src/framework/kernel/run_kernel.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/has_refs.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

// Returns true where every output's size is known, and their sum at most `max_bytes`.
bool IsSmall(const Node& node, int64_t max_bytes) {
  int64_t bytes = 0;
  for (int port = 0; port < node.num_outputs(); ++port) {
    const int64_t elements = node.output_shapes[port].num_elements();
    if (elements == PartialShape::kUnknown || elements > max_bytes) return false;
    if (IsHandle(node.output_types[port].dtype)) return false;
    bytes += elements * static_cast<int64_t>(DTypeSize(node.output_types[port].dtype));
  }
  return bytes <= max_bytes;
}

bool MayRunOn(const Node& node, const Device& device) {
  const Result<DeviceName> constraint = DeviceName::Parse(node.device);
  return constraint.ok() && (!constraint->type || *constraint->type == device.type());
}

// One run of the pass.
class Folder {
 public:
  Folder(Graph& graph, const PassContext& context) : graph_(graph), context_(context) {}

  // Returns nothing where the graph is to stay as it is.
  Result<std::optional<Graph>> Run() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    trust_partial_constants_ = !HasControlFlow(graph_);
    waits_.assign(static_cast<size_t>(graph_.num_nodes()), false);
    for (NodeId id : order) {
      waits_[id] = Waits(graph_.node(id));
      Evaluate(graph_.node(id));
    }
    MarkNeeded();
    if (KeepReadsOfVariables(order)) MarkNeeded();
    if (std::all_of(order.begin(), order.end(), [&](NodeId id) { return needed_[id] && !IsFolded(id); })) {
      return std::optional<Graph>();
    }
    return Rebuild(order);
  }

 private:
  bool IsFolded(NodeId id) const { return values_.count(id) != 0 && graph_.node(id).op->name != "Const"; }

  // Returns true where the node's value is there only after some control edge.
  bool Waits(const Node& node) const {
    return !node.control_inputs.empty() || std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output input) {
      return input.valid() && waits_[input.node];
    });
  }

  // Fills in values_ for the node if they are constant.
  void Evaluate(const Node& node) {
    if (node.op->is_stateful || node.num_outputs() == 0 || !node.control_inputs.empty() || HasRefs(node)) return;
    if (node.op->traits.control_flow != ControlFlowKind::kNone) return;  // a constant may still be dead
    if (node.op->name == "Const") {
      values_[node.id] = {*node.attrs.Find("value")->get<Tensor>()};
      return;
    }
    if (node.num_inputs() == 0) return;
    if (const Tensor* known = PartialConstant(node)) {
      values_[node.id] = {*known};
      return;
    }
    std::vector<Tensor> inputs;
    for (Output input : node.inputs) {
      auto it = input.valid() ? values_.find(input.node) : values_.end();
      if (it == values_.end()) return;
      inputs.push_back(it->second[input.port]);
    }
    if (!IsSmall(node, context_.max_constant_bytes) || !MayRunOn(node, context_.host)) return;
    const NodeInfo info{node.name, node.op, node.input_types, node.output_types};
    Result<std::vector<Tensor>> outputs =
        RunKernelOnce(info, node.attrs, inputs, context_.host, pool_, context_.kernels);
    if (!outputs.ok() || !AreWhole(*outputs)) return;
    values_[node.id] = *std::move(outputs);
  }

  const Tensor* PartialConstant(const Node& node) const {
    return trust_partial_constants_ && node.num_outputs() == 1 ? graph_.ConstantValue({node.id, 0}) : nullptr;
  }

  static bool AreWhole(const std::vector<Tensor>& outputs) {
    return std::all_of(outputs.begin(), outputs.end(), [](const Tensor& value) { return value.initialized(); });
  }

  // Marks the ends of the graph, the nodes with effects and all that those need. A folded node needs no inputs.
  void MarkNeeded() {
    std::vector<bool> has_readers(static_cast<size_t>(graph_.num_nodes()), false);
    for (const Node& node : graph_.nodes()) {
      for (Output input : node.inputs) {
        if (input.valid()) has_readers[input.node] = true;
      }
      for (NodeId id : node.control_inputs) has_readers[id] = true;
    }
    AncestorWalk walk(graph_);
    for (const Node& node : graph_.nodes()) {
      if (!has_readers[node.id] || node.op->is_stateful || HasRefInput(node)) walk.Add(node.id);
    }
    while (const Node* node = walk.Next()) {
      for (Output input : node->inputs) {
        if (!input.valid() || (IsFolded(node->id) && !waits_[input.node])) continue;
        walk.Add(input.node);
        if (graph_.node(input.node).num_outputs() > 1) read_ports_.insert({input.node, input.port});
      }
      for (NodeId id : node->control_inputs) {
        if (values_.count(id) == 0 || waits_[id]) walk.Add(id);  // nothing needs to wait for a constant
      }
    }
    needed_ = std::move(walk).added();
  }

  // Unfolds nodes that only need the shape of a variable, or another fact without its value, where nothing else reads
  // the variable: the read of a variable without a value is an error, which must not be lost. True where there were
  // any.
  bool KeepReadsOfVariables(const std::vector<NodeId>& order) {
    std::set<std::pair<NodeId, int32_t>> read;
    for (const Node& node : graph_.nodes()) {
      if (!needed_[node.id] || IsFolded(node.id)) continue;
      for (Output input : node.inputs) read.insert({input.node, input.port});
    }
    std::vector<bool> follows(static_cast<size_t>(graph_.num_nodes()), false);
    bool found = false;
    for (NodeId id : order) {
      const auto& inputs = graph_.node(id).inputs;
      follows[id] = std::any_of(inputs.begin(), inputs.end(), [&](Output input) {
        if (!input.valid()) return false;
        return follows[input.node] || (graph_.is_ref(input) && read.count({input.node, input.port}) == 0);
      });
      found |= follows[id] && values_.erase(id) > 0;
    }
    return found;
  }

  Result<std::optional<Graph>> Rebuild(const std::vector<NodeId>& order) {
    GraphRebuilder rebuilder = GraphRebuilder::Taking(graph_);
    for (NodeId id : order) {
      if (!needed_[id]) continue;
      if (IsFolded(id)) {
        DF_TRY(AddConsts(graph_.node(id), rebuilder));
      } else {
        rebuilder.Keep(id);
      }
    }
    DF_ASSIGN(Graph folded, rebuilder.Finish());
    return std::optional<Graph>(std::move(folded));
  }

  Status AddConsts(const Node& node, GraphRebuilder& rebuilder) {
    for (int port = 0; port < node.num_outputs(); ++port) {
      if (node.num_outputs() > 1 && read_ports_.count({node.id, port}) == 0) continue;
      const Tensor& value = values_[node.id][port];
      NodeSpec spec = PlacedAs(node);
      spec.name = port == 0 ? node.name : graph_.UniqueName(StrCat(node.name, "/_", port));
      spec.op = "Const";
      spec.attrs = {{"dtype", value.dtype()}, {"value", value}};
      // Nodes that wait for the value wait for the control inputs of the node before it.
      for (Output input : node.inputs) {
        if (input.valid() && waits_[input.node]) spec.control_inputs.push_back(rebuilder.NewControl(input.node));
      }
      DF_ASSIGN(const NodeId made, rebuilder.to().AddNode(std::move(spec)));
      rebuilder.Replace({node.id, port}, {made, 0});
      if (waits_[node.id]) rebuilder.ReplaceControl(node.id, made);
    }
    return Status();
  }

  Graph& graph_;
  const PassContext& context_;
  InlineThreadPool pool_;
  bool trust_partial_constants_ = false;
  std::unordered_map<NodeId, std::vector<Tensor>> values_;  // outputs of constant nodes
  std::vector<bool> waits_;                                 // by node
  std::vector<bool> needed_;                                // by node
  std::set<std::pair<NodeId, int32_t>> read_ports_;         // outputs read, for needed nodes with several
};

Status FoldConstants(Graph& graph, const PassContext& context) {
  DF_ASSIGN(std::optional<Graph> folded, Folder(graph, context).Run());
  if (folded) graph = *std::move(folded);
  return Status();
}

// The pass comes before common subexpressions, since it leaves Consts, of which many are equal.
GRAPH_PASS("constant_folding", 110, &FoldConstants);

}  // namespace
}  // namespace dfrun
