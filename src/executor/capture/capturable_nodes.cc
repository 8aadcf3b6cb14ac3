#include "src/executor/capture/capturable_nodes.h"

#include <algorithm>

#include "src/executor/plan/memory_copies.h"
#include "src/framework/device/graph_capture.h"
#include "src/graph/update_gate.h"

namespace dfrun {
namespace {

using Kind = CapturableNodes::Kind;

bool IsSource(const Node& node) {
  if (!node.inputs.empty() || !node.control_inputs.empty()) return false;
  return node.op->traits.is_variable || node.op->name == "Const" || node.op->name == "_HostConst";
}

// One call of FindCapturableNodes().
class Finder {
 public:
  Finder(const Graph& graph, const Device& device, const KernelRegistry& kernels)
      : graph_(graph), device_(device), kernels_(kernels) {}

  Result<CapturableNodes> Run() {
    found_.kinds.assign(static_cast<size_t>(graph_.num_nodes()), Kind::kOther);
    found_.why_not.resize(found_.kinds.size());
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    infos_.resize(found_.kinds.size());
    shares_outputs_.resize(found_.kinds.size());
    for (NodeId id : order) {
      const Node& node = graph_.node(id);
      infos_[id] = {node.name, node.op, node.input_types, node.output_types};
      DF_TRY(SetHostArgsOf(node, kernels_, device_, infos_[id]).Annotate(graph_.Describe(id)));
      Classify(node);
    }
    LeaveOutSharedMemory(order);
    return std::move(found_);
  }

 private:
  void Classify(const Node& node) {
    if (IsSource(node)) {
      found_.kinds[node.id] = Kind::kSource;
      return;
    }
    // The host runs these nodes on every device.
    if (node.op->traits.boundary != Boundary::kNone || node.op->name == kUpdateGateOp) return;
    const Result<const KernelDef*> def = kernels_.Find(node.op->name, device_.type(), node.attrs);
    if (def.ok() && (*def)->is_async) return;
    shares_outputs_[node.id] = def.ok() && (*def)->shares_outputs;
    std::string why = WhyNot(node, def.ok() || node.op->name == "NoOp");
    if (why.empty()) {
      found_.kinds[node.id] = Kind::kRecorded;
    } else {
      found_.why_not[node.id] = std::move(why);
    }
  }

  std::string WhyNot(const Node& node, bool has_kernel) const {
    if (!has_kernel) return "it has no kernel";
    if (GateGroup(node) != 0) return "the host leaves it out by the gate of its own replica";
    const CaptureTraits* const traits = FindCaptureTraits(device_.type(), node.op->name);
    if (traits != nullptr && !traits->why_not.empty()) return std::string(traits->why_not);
    bool has_variable = false;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Output from = node.inputs[i];
      const bool is_handle = graph_.dtype(from) == DType::kResource;
      if (graph_.is_ref(from) || is_handle) {
        if (!IsVariable(from)) return StrCat("it reads '", OutputName(graph_, from), "', which is no variable");
        has_variable = true;
      } else if (!IsPlain(graph_.dtype(from))) {
        return StrCat("it reads '", OutputName(graph_, from), "', which only the host has");
      } else if (infos_[node.id].inputs[i].in_host && !IsSettled(from)) {
        return StrCat("the host reads '", OutputName(graph_, from), "' for it, which is another value in each step");
      }
    }
    if (MakesUnknownShape(node)) return "the shape of what it makes is known only when it has run";
    const bool is_gate = traits != nullptr && traits->is_gate;
    if (node.op->is_stateful && !has_variable && !is_gate) return "it has a state, which the host keeps";
    for (size_t i = 0; i < infos_[node.id].outputs.size(); ++i) {
      const TypedArg& output = infos_[node.id].outputs[i];
      if (!IsPlain(output.dtype)) return "it makes what only the host has";
      if (output.in_host && !output.is_ref && has_variable) return "it tells the host of a variable's state";
    }
    return "";
  }

  // Though its inputs, of which the host reads none, have known shapes.
  bool MakesUnknownShape(const Node& node) const {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Output from = node.inputs[i];
      if (infos_[node.id].inputs[i].in_host || graph_.is_ref(from) || !graph_.shape(from).IsFullyDefined())
        return false;
    }
    return std::any_of(node.output_shapes.begin(), node.output_shapes.end(),
                       [](const PartialShape& shape) { return !shape.IsFullyDefined(); });
  }

  // Whether the value is a variable by reference or by handle, from its own node or from another that is recorded.
  bool IsVariable(Output from) const {
    const Node& node = graph_.node(from.node);
    if (found_.kinds[from.node] == Kind::kSource) return node.op->traits.is_variable;
    return graph_.is_ref(from) && found_.kinds[from.node] == Kind::kRecorded;
  }

  // A value in host memory that shapes and constants alone decide.
  bool IsSettled(Output from) const {
    return found_.kinds[from.node] == Kind::kSource ||
           (found_.kinds[from.node] == Kind::kRecorded && infos_[from.node].outputs[from.port].in_host);
  }

  // A node outside the subgraph must not read an output in a variable's memory, which the subgraph may write meanwhile.
  void LeaveOutSharedMemory(const std::vector<NodeId>& order) {
    const Consumers consumers = graph_.BuildConsumers();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      if (found_.kinds[*id] != Kind::kRecorded || !HandsVariableOn(*id)) continue;
      const auto readers = consumers.of(*id);
      const bool is_read = std::any_of(readers.begin(), readers.end(), [&](const Consumers::Edge& edge) {
        return edge.port >= 0 && found_.kinds[edge.node] != Kind::kRecorded;
      });
      if (!is_read) continue;
      found_.kinds[*id] = Kind::kOther;
      found_.why_not[*id] = "it hands a variable's own memory to a node that is not recorded";
    }
  }

  bool HandsVariableOn(NodeId id) const {
    const Node& node = graph_.node(id);
    for (const TypedArg& output : node.output_types) {
      if (output.is_ref) return true;
    }
    if (node.inputs.empty() || !shares_outputs_[id]) return false;
    const Output from = node.inputs[0];
    return graph_.is_ref(from) || graph_.dtype(from) == DType::kResource || HandsVariableOn(from.node);
  }

  const Graph& graph_;
  const Device& device_;
  const KernelRegistry& kernels_;
  std::vector<NodeInfo> infos_;
  std::vector<bool> shares_outputs_;  // by node
  CapturableNodes found_;
};

}  // namespace

Result<CapturableNodes> FindCapturableNodes(const Graph& partition, const Device& device,
                                            const KernelRegistry& kernels) {
  return Finder(partition, device, kernels).Run();
}

}  // namespace dfrun
