// Updates of variables within conditionals and loops.
//
// A variable that no Cond or While updates is read before it (lower_flow.cc). A variable that one updates comes into it
// by reference (RefSwitch, RefEnter), and each node within reads it when it runs: after its other inputs and its
// control inputs. A level ends when its updates and reads have run: so iterations see each other's in order, and a node
// that waits for a result of the Cond or While sees all of them.
#include <algorithm>

#include "src/graph/handle_maker.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/variable_readers.h"
#include "src/spec/lowering.h"

namespace dfrun {
namespace {

// The nodes of a graph from `first` on that update or read variables which are updated there, by level.
class FlowUses {
 public:
  FlowUses(const Graph& graph, NodeId first, const std::unordered_map<NodeId, int32_t>& flow_of)
      : graph_(graph), flow_of_(flow_of) {
    for (NodeId id = first; id < graph.num_nodes(); ++id) NoteUpdate(graph.node(id));
    for (NodeId id = first; id < graph.num_nodes(); ++id) NoteUse(graph.node(id));
  }

  std::vector<NodeId>& of(int32_t flow) { return uses_[flow]; }

 private:
  void NoteUpdate(const Node& node) {
    if (!MayChangeVariable(node)) return;
    for (const Output input : node.inputs) {
      if (input.valid() && graph_.dtype(input) == DType::kResource) updated_.insert(HandleMaker(graph_, input).node);
    }
  }

  // References are there only of variables that are updated.
  bool IsUsed(Output input) const {
    if (!input.valid()) return false;
    if (graph_.is_ref(input)) return true;
    if (updated_.empty() || graph_.dtype(input) != DType::kResource) return false;
    const NodeId maker = HandleMaker(graph_, input).node;
    return IsVariable(graph_.node(maker)) && updated_.contains(maker);
  }

  void NoteUse(const Node& node) {
    if (node.op->traits.control_flow != ControlFlowKind::kNone) return;
    for (const Output input : node.inputs) {
      if (!IsUsed(input)) continue;
      const auto flow = flow_of_.find(node.id);
      if (flow != flow_of_.end()) uses_[flow->second].push_back(node.id);
      return;
    }
  }

  const Graph& graph_;
  const std::unordered_map<NodeId, int32_t>& flow_of_;
  std::set<NodeId> updated_;  // makers of handles
  std::map<int32_t, std::vector<NodeId>> uses_;
};

// The nodes from `first` on that run before `last` in its iteration, and itself.
std::set<NodeId> Before(const Graph& graph, NodeId first, NodeId last) {
  std::set<NodeId> found;
  AncestorWalk walk(graph);
  walk.Add(last);
  while (const Node* node = walk.Next()) {
    if (node->id < first) continue;
    found.insert(node->id);
    for (int i = 0; i < node->num_inputs(); ++i) {
      if (!graph.IsBackEdge(*node, i)) walk.Add(node->inputs[i].node);
    }
    for (const NodeId control : node->control_inputs) walk.Add(control);
  }
  return found;
}

}  // namespace

Output Lowering::VariableOf(Output value) const {
  while (value.valid()) {
    if (const auto read = variable_reads_.find(value.node); read != variable_reads_.end()) return read->second;
    if (!graph_.is_ref(value)) return {};
    const Node& node = graph_.node(value.node);
    const auto is_ref = [](const TypedArg& arg) { return arg.is_ref; };
    const auto handed_on = std::find_if(node.input_types.begin(), node.input_types.end(), is_ref);
    if (handed_on == node.input_types.end()) return value;
    value = node.inputs[static_cast<size_t>(handed_on - node.input_types.begin())];
  }
  return {};
}

void Lowering::MarkUpdated(Output variable) {
  may_update_ = true;
  if (!updated_.insert({variable.node, variable.port}).second) return;
  for (const auto& [id, of] : variable_reads_) {
    Node& node = graph_.mutable_node(id);
    if (!(of == variable) || node.output_types[0].is_ref) continue;
    // Identity, Switch and Enter differ from their twins in nothing else.
    node.op = graph_.ops().Find(StrCat("Ref", node.op->name));
    node.input_types[0].is_ref = true;
    for (TypedArg& output : node.output_types) output.is_ref = true;
  }
}

std::optional<Output> Lowering::AddRead(const NodeSpec& reader, size_t input, SourceLocation location) {
  const Output variable = reader.inputs[input];
  NodeSpec read;
  read.op = "Identity";
  read.name = StrCat(flow_.back().scope, "/", graph_.node(VariableOf(variable).node).name);
  read.inputs = {variable};
  read.control_inputs = reader.control_inputs;
  read.control_inputs.push_back(flow_.back().pivot);
  for (const Output other : reader.inputs) {
    const ControlFlowKind kind = graph_.node(other.node).op->traits.control_flow;
    const bool is_captured =
        variable_reads_.contains(other.node) || kind == ControlFlowKind::kSwitch || kind == ControlFlowKind::kEnter;
    if (!is_captured && !IsFreeConstant(other.node)) read.control_inputs.push_back(other.node);
  }
  return AddFlowNode(std::move(read), depth(), location);
}

bool Lowering::ReadAtUse(const OpDef* op, NodeSpec& spec, SourceLocation location) {
  if (!may_update_ || spec.op == "Identity") return true;  // an Identity is such a read itself
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    if (!VariableOf(spec.inputs[i]).valid() || (op != nullptr && TakesVariable(*op, i))) continue;
    const std::optional<Output> read = AddRead(spec, i, location);
    if (!read) return false;
    spec.inputs[i] = *read;
  }
  return true;
}

// A use that no result needs is left as it is: it does not run.
void Lowering::OrderUpdates() {
  FlowUses uses(graph_, first_of_flow_, flow_of_);
  for (const EndedFlow& flow : ended_) {
    const std::vector<NodeId>& here = uses.of(flow.id);
    if (here.empty()) continue;
    std::vector<std::set<NodeId>> before;
    std::set<NodeId> needed = flow.loop_cond < 0 ? std::set<NodeId>() : Before(graph_, first_of_flow_, flow.loop_cond);
    for (const NodeId result : flow.results) {
      before.push_back(Before(graph_, first_of_flow_, result));
      needed.insert(before.back().begin(), before.back().end());
    }
    bool any = false;
    for (const NodeId use : here) {
      if (!needed.contains(use)) continue;
      any = true;
      for (size_t i = 0; i < before.size(); ++i) {
        if (!before[i].contains(use)) graph_.AddControlEdge(use, flow.results[i]);
      }
    }
    if (!any || flow.around == 0) continue;
    std::vector<NodeId>& around = uses.of(flow.around);
    around.insert(around.end(), flow.ends.begin(), flow.ends.end());
  }
}

}  // namespace dfrun
