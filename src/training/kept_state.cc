#include "src/training/kept_state.h"

#include <set>
#include <tuple>
#include <utility>

#include "src/framework/kernel/kernel_registry.h"
#include "src/framework/kernel/object_state.h"
#include "src/graph/object_handle.h"
#include "src/placement/colocation_groups.h"
#include "src/session/random_sequences.h"

namespace dfrun {
namespace {

std::string TextAttr(const Node& node, const char* name) {
  const Result<std::string> text = node.attrs.Get<std::string>(name);
  return text.ok() ? *text : "";
}

// The constraints that the placer falls back to, in its order.
std::vector<DeviceName> FallbacksOf(const DeviceName& constraint, bool soft) {
  if (!soft) return {constraint};
  return {constraint, DeviceName{constraint.job, constraint.task, {}, {}}, DeviceName()};
}

class Keeper {
 public:
  Keeper(JobGraphDraft& draft, ColocationGroups groups)
      : draft_(draft), graph_(draft.job.graph), groups_(std::move(groups)) {}

  Status Run() {
    for (const Kept& variable : draft_.kept) NoteObject(graph_.node(variable.source), FindObjectState("VarHandleOp"));
    const NodeId end = graph_.num_nodes();
    for (NodeId id = 0; id < end; ++id) {
      if (HasRandomSequence(graph_.node(id))) DF_TRY(KeepPosition(id));
      DF_TRY(KeepObject(id));
    }
    return Status();
  }

 private:
  Status KeepPosition(NodeId id) {
    FixDevice(id);
    Node& node = graph_.mutable_node(id);
    node.attrs.Set("_position", node.name);
    const AttrMap attrs = {{"position", node.name}};
    DF_ASSIGN(const NodeId position, AddBeside(id, "position", "RandomPosition", {}, attrs));
    DF_ASSIGN(const NodeId rewind, AddBeside(id, "rewind", "RewindRandomPosition", {}, attrs));
    draft_.job.rewind.targets.push_back(rewind);
    draft_.kept.push_back({.source = position,
                           .of = graph_.node(id).name,
                           .parts = {{graph_.node(position).name, DType::kInt64, PartialShape::Scalar()}},
                           .restore_op = "SetRandomPosition"});
    return Status();
  }

  Status KeepObject(NodeId id) {
    const ObjectState* const state = FindObjectState(graph_.node(id).op->name);
    if (state == nullptr) {
      const Node& node = graph_.node(id);
      if (NamesObject(node) && !node.op->traits.is_variable) AddUnkept(id, "this program does not know how to");
      return Status();
    }
    if (state->parts == nullptr) return Status();
    Result<std::vector<StatePart>> parts = state->parts(graph_.node(id).attrs);
    if (!parts.ok()) {
      AddUnkept(id, parts.status().message());
      return Status();
    }
    FixDevice(id);
    return NoteObject(graph_.node(id), state) ? AddState(id, *state, *std::move(parts)) : Status();
  }

  Status AddState(NodeId id, const ObjectState& state, std::vector<StatePart> parts) {
    std::vector<Output> handle;
    std::vector<DType> handles;
    if (NamesObject(graph_.node(id))) {
      DF_ASSIGN(handle.emplace_back(), AddHandleOf(graph_, id));
      handles.push_back(graph_.dtype(handle[0]));
    }
    const Node& node = graph_.node(id);
    const AttrMap attrs = StateAttrs(state, node.op->name, handles, parts, TextAttr(node, "_position"));
    for (StatePart& part : parts) part.name = NameOfPart(node.name, part);
    Kept kept{.of = node.name,
              .parts = std::move(parts),
              .restore_op = std::string(state.restore_op),
              .restore_inputs = handle};
    DF_ASSIGN(kept.source, AddBeside(id, "state", std::string(state.save_op), handle, attrs));
    draft_.kept.push_back(std::move(kept));
    return Status();
  }

  // Adds a node on the device of the node `id`.
  Result<NodeId> AddBeside(NodeId id, const char* name, const std::string& op, const std::vector<Output>& inputs,
                           const AttrMap& attrs) {
    const std::string of = graph_.node(id).name;
    GraphOps ops(graph_, of, graph_.node(id).device);
    const Output added = ops.Add(name, op, inputs, attrs);
    DF_TRY(ops.status());
    graph_.mutable_node(added.node).colocate_with = of;
    return added.node;
  }

  // Fixes the device that the placer would choose. Where nothing fits, the node is left alone and the placer reports
  // it.
  void FixDevice(NodeId id) {
    const DeviceName& constraint = groups_.Constraint(groups_.Root(id));
    for (const DeviceName& wanted : FallbacksOf(constraint, draft_.spec.soft_placement)) {
      for (const ClusterDevice& device : draft_.cluster.devices) {
        if (!wanted.Matches(device.name) || !HasKernel(id, device)) continue;
        graph_.mutable_node(id).device = device.name.ToString();
        return;
      }
    }
  }

  bool HasKernel(NodeId id, const ClusterDevice& device) const {
    const Node& node = graph_.node(id);
    return KernelRegistry::Builtin().Find(node.op->name, *device.name.type, node.attrs).ok();
  }

  // Returns false where another node stands for the same object.
  bool NoteObject(const Node& node, const ObjectState* state) {
    if (!NamesObject(node)) return true;
    return objects_.emplace(state->parts, node.device, TextAttr(node, "container"), NameOfObject(node)).second;
  }

  void AddUnkept(NodeId id, const std::string& why) {
    draft_.job.unkept.push_back(StrCat(graph_.Describe(id), " is in no checkpoint, since ", why));
  }

  JobGraphDraft& draft_;
  Graph& graph_;
  const ColocationGroups groups_;
  // Keys are kind, device, container and name.
  std::set<std::tuple<decltype(ObjectState::parts), std::string, std::string, std::string>> objects_;
};

}  // namespace

Status KeepState(JobGraphDraft& draft) {
  DF_ASSIGN(ColocationGroups groups, ColocationGroups::Create(draft.job.graph, draft.spec.soft_placement));
  return Keeper(draft, std::move(groups)).Run();
}

}  // namespace dfrun
