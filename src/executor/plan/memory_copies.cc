#include "src/executor/plan/memory_copies.h"

#include <map>
#include <utility>
#include <vector>

#include "src/base/sort_unique.h"
#include "src/graph/order/read_order.h"

namespace dfrun {
namespace {

// Marks the inputs and outputs that the executor itself reads or writes on the host.
void SetHostArgsOfExecutor(const Node& node, NodeInfo& info) {
  switch (node.op->traits.control_flow) {
    case ControlFlowKind::kSwitch:
      info.inputs[1].in_host = true;
      break;
    case ControlFlowKind::kLoopCond:
      info.inputs[0].in_host = info.outputs[0].in_host = true;
      break;
    case ControlFlowKind::kMerge:
      info.outputs[1].in_host = true;
      break;
    default:
      if (node.op->traits.boundary == Boundary::kFeed) info.outputs[0].in_host = true;
      if (node.op->traits.boundary == Boundary::kFetch) info.inputs[0].in_host = true;
  }
}

// One call of WithMemoryCopies().
class CopyAdder {
 public:
  CopyAdder(const Graph& partition, const Device& device, const KernelRegistry& kernels)
      : graph_(partition.Clone()), device_(device), kernels_(kernels) {}

  Result<Graph> Run() {
    const NodeId count = graph_.num_nodes();
    for (NodeId id = 0; id < count; ++id) {
      const Node& node = graph_.node(id);
      infos_.push_back({node.name, node.op, node.input_types, node.output_types});
      DF_TRY(SetHostArgsOf(node, kernels_, device_, infos_.back()).Annotate(graph_.Describe(id)));
    }
    DF_TRY(FindWaits());
    for (NodeId id = 0; id < count; ++id) {
      for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
        if (!ReadsElsewhere(id, i)) continue;
        DF_ASSIGN(graph_.mutable_node(id).inputs[i], InOtherMemory(id, i));
      }
    }
    return std::move(graph_);
  }

 private:
  bool ReadsElsewhere(NodeId reader, int i) const {
    const Node& node = graph_.node(reader);
    const Output from = node.inputs[i];
    if (!from.valid() || node.input_types[i].is_ref || !IsPlain(graph_.dtype(from))) return false;
    return infos_[reader].inputs[i].in_host != infos_[from.node].outputs[from.port].in_host;
  }

  // Finds the waits of the copies of variables: a copy waits for the control inputs of its reader, and for those of the
  // reader's other inputs that come after an update.
  Status FindWaits() {
    std::vector<VariableRead> reads;
    for (const Node& node : graph_.nodes()) {
      for (int i = 0; i < node.num_inputs(); ++i) {
        if (ReadsElsewhere(node.id, i) && graph_.is_ref(node.inputs[i])) reads.push_back({node.id, i});
      }
    }
    if (reads.empty()) return Status();
    DF_ASSIGN(const std::vector<NodeId> order, PartitionOrder(graph_));
    DF_ASSIGN(const ReadOrder read_order, ReadOrder::Create(graph_, order, reads, ReadOrder::Ways::kPossible));
    for (size_t i = 0; i < reads.size(); ++i) {
      const Node& reader = graph_.node(reads[i].reader);
      std::vector<NodeId>& waits = waits_[{reader.id, reads[i].input}] = reader.control_inputs;
      if (!read_order.IsLate(i)) continue;
      for (NodeId source : SourcesBeside(reader, reads[i].input)) {
        if (read_order.IsAfterUpdate(source, i)) waits.push_back(source);
      }
      SortUnique(waits);
    }
    return Status();
  }

  Result<Output> InOtherMemory(NodeId reader, int i) {
    const Output from = graph_.node(reader).inputs[i];
    if (graph_.is_ref(from)) return Copy(from, waits_.at({reader, i}));
    if (const auto found = copies_.find({from.node, from.port}); found != copies_.end()) return found->second;
    DF_ASSIGN(const Output made, graph_.node(from.node).op->name == "Const" ? HostConst(from.node) : Copy(from, {}));
    copies_[{from.node, from.port}] = made;
    return made;
  }

  Result<Output> Copy(Output from, std::vector<NodeId> control_inputs) {
    const bool to_host = !infos_[from.node].outputs[from.port].in_host;
    NodeSpec spec;
    spec.op = to_host ? "_CopyToHost" : "_CopyToDevice";
    spec.name = graph_.UniqueName(StrCat(graph_.node(from.node).name, "/", spec.op));
    spec.inputs = {from};
    spec.control_inputs = std::move(control_inputs);
    spec.device = device_.full_name();
    spec.location = graph_.node(from.node).location;
    DF_ASSIGN(const NodeId id, graph_.AddNode(std::move(spec)));
    return Output{id, 0};
  }

  Result<Output> HostConst(NodeId constant) {
    Node twin = graph_.node(constant);
    twin.op = graph_.ops().Find("_HostConst");
    twin.name = graph_.UniqueName(StrCat(twin.name, "/_host"));
    return Output{graph_.AddResolved(std::move(twin)), 0};
  }

  Graph graph_;
  const Device& device_;
  const KernelRegistry& kernels_;
  std::vector<NodeInfo> infos_;                                  // by node of the partition
  std::map<std::pair<NodeId, int>, std::vector<NodeId>> waits_;  // control inputs of variables' copies, by reader and
                                                                 // input
  std::map<std::pair<NodeId, int32_t>, Output> copies_;
};

}  // namespace

Status SetHostArgsOf(const Node& node, const KernelRegistry& kernels, const Device& device, NodeInfo& info) {
  // A node without a kernel is refused when the plan is made, or the executor does it.
  const Result<const KernelDef*> def = kernels.Find(node.op->name, device.type(), node.attrs);
  DF_TRY(SetHostArgs(def.ok() ? *def : nullptr, node.attrs, info));
  SetHostArgsOfExecutor(node, info);
  return Status();
}

Result<Graph> WithMemoryCopies(const Graph& partition, const Device& device, const KernelRegistry& kernels) {
  return CopyAdder(partition, device, kernels).Run();
}

}  // namespace dfrun
