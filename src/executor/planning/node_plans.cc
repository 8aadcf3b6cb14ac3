#include "src/executor/planning/node_plans.h"

#include <algorithm>

#include "src/executor/capture/capture_partition.h"
#include "src/executor/plan/memory_copies.h"

namespace dfrun {
namespace {

// Feeds and fetches are numbered; hostile graphs must not make us reserve memory for absent ones.
constexpr int64_t kMaxIndex = 1 << 20;

Result<int32_t> IndexAttr(const Node& node) {
  DF_ASSIGN(const int64_t index, node.attrs.Get<int64_t>("index"));
  if (index < 0 || index >= kMaxIndex) return InvalidArgument("index ", index, " is not in [0, ", kMaxIndex, ")");
  return static_cast<int32_t>(index);
}

// Handing a value on by its header costs no more than copying this much.
constexpr int64_t kMaxValueBytes = 64;

}  // namespace

Status NodePlans::Make() {
  node_plans_.resize(graph_.num_nodes());
  plan_.all_infos_.resize(graph_.num_nodes());
  for (const Node& node : graph_.nodes()) {
    Status status = MakeNodePlan(node);
    if (!status.ok()) return status.Annotate(graph_.Describe(node.id));
  }
  for (const Node& node : graph_.nodes()) {
    if (node_plans_[node.id].control_flow == ControlFlowKind::kMerge)
      DF_TRY(CheckMerge(node).Annotate(graph_.Describe(node.id)));
  }
  return plan_.has_control_flow_ ? FindValues() : Status();
}

// A Merge runs when one of its inputs comes, so each must come as an event.
Status NodePlans::CheckMerge(const Node& node) {
  const size_t most = std::max(node.inputs.size(), node.control_inputs.size());
  if (most > MergeCount::kMaxInputs) return Unimplemented("a Merge of ", most, " inputs");
  for (const Output& input : node.inputs) {
    node_plans_[input.node].is_settled = false;
    if (!node_plans_[input.node].is_awaited()) return InvalidArgument("a Merge of a value that all iterations share");
  }
  return Status();
}

Status NodePlans::MakeNodePlan(const Node& node) {
  NodeInfo& info = plan_.all_infos_[node.id];
  info = {node.name, node.op, node.input_types, node.output_types};
  for (int i = 0; i < node.num_inputs(); ++i) info.inputs[i].is_ref = graph_.is_ref(node.inputs[i]);
  NodePlan& node_plan = node_plans_[node.id];
  node_plan.control_flow = node.op->traits.control_flow;
  if (node.op->name == "_Arg") {
    DF_TRY(AddFeed(node));
  } else if (node.op->name == "_Retval") {
    DF_TRY(AddFetch(node));
  } else if (node.op->name == kCapturedSubgraphOp) {
    DF_TRY(TakeSubgraph(node));
  } else if (node_plan.control_flow == ControlFlowKind::kEnter) {
    DF_ASSIGN(node_plan.is_invariant, node.attrs.Get<bool>("is_constant"));
  } else if (node.op->name != "NoOp" && node_plan.control_flow == ControlFlowKind::kNone && !IsPassthrough(node)) {
    DF_TRY(MakeKernel(node));
  }
  if (device_.has_own_memory() && node_plan.def == nullptr) DF_TRY(SetHostArgsOf(node, registry_, device_, info));
  node_plan.is_settled =
      (node_plan.feed >= 0 || node_plan.has_fixed()) && node.inputs.empty() && node.control_inputs.empty();
  return Status();
}

Status NodePlans::AddFeed(const Node& node) {
  DF_ASSIGN(const int32_t index, IndexAttr(node));
  if (index >= plan_.num_feeds()) plan_.feeds_.resize(index + 1);
  ExecPlan::Feed& feed = plan_.feeds_[index];
  if (!feed.name.empty()) return InvalidArgument("feed ", index, " is also that of '", feed.name, "'");
  feed = {.name = node.name, .dtype = node.output_types[0].dtype, .shape = node.output_shapes[0]};
  node_plans_[node.id].feed = index;
  return Status();
}

Status NodePlans::AddFetch(const Node& node) {
  DF_ASSIGN(const int32_t index, IndexAttr(node));
  if (index >= plan_.num_fetches_) {
    plan_.num_fetches_ = index + 1;
    is_fetched_.resize(index + 1);
  }
  if (is_fetched_[index]) return InvalidArgument("another node is also fetch ", index);
  is_fetched_[index] = true;
  node_plans_[node.id].fetch = index;
  return Status();
}

Status NodePlans::MakeKernel(const Node& node) {
  NodePlan& node_plan = node_plans_[node.id];
  NodeInfo& info = plan_.all_infos_[node.id];
  DF_ASSIGN(node_plan.def, registry_.Find(node.op->name, device_.type(), node.attrs));
  if (device_.has_own_memory()) DF_TRY(SetHostArgsOf(node, registry_, device_, info));
  std::vector<PartialShape> input_shapes;
  for (const Output& input : node.inputs) {
    // A ref has the shape that its variable has then.
    input_shapes.push_back(graph_.is_ref(input) ? PartialShape() : graph_.shape(input));
  }
  std::vector<bool> preallocated(node.num_outputs());
  for (int i = 0; i < node.num_outputs(); ++i) preallocated[i] = ArenaBytes({node.id, i}) >= 0;
  KernelSetup setup(info, node.attrs, device_, std::move(input_shapes), node.output_shapes, std::move(preallocated));
  std::unique_ptr<Kernel> kernel = node_plan.def->make(setup);
  DF_TRY(setup.status());
  node_plan.kernel = kernel.get();
  node_plan.fixed = kernel->FixedOutput();
  if (node_plan.fixed.initialized() && !info.outputs[0].in_host) {
    DF_ASSIGN(node_plan.fixed, device_.ToOwnMemory(node_plan.fixed));
  }
  plan_.kernels_.push_back(std::move(kernel));
  return Status();
}

Status NodePlans::TakeSubgraph(const Node& node) {
  static constexpr KernelDef kDef = {.op = kCapturedSubgraphOp, .device_type = {}, .attr = {}, .shares_outputs = true};
  DF_ASSIGN(const int64_t index, node.attrs.Get<int64_t>("unit"));
  if (index < 0 || static_cast<size_t>(index) >= subgraphs_.size() || subgraphs_[index] == nullptr) {
    return InvalidArgument("only the executor makes nodes of units, and there is no unit ", index);
  }
  node_plans_[node.id].def = &kDef;
  node_plans_[node.id].kernel = subgraphs_[index].get();
  plan_.kernels_.push_back(std::move(subgraphs_[index]));
  return Status();
}

// The readers of a counted value must be the same however the step goes, so a Switch has outputs of its own then.
Status NodePlans::FindValues() {
  DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
  for (NodeId id : order) {
    if (!IsPassthrough(graph_.node(id))) continue;
    const Output value = ValueOf(graph_.node(id).inputs[0]);
    if (node_plans_[id].control_flow != ControlFlowKind::kSwitch || !IsCounted(value)) node_plans_[id].value = value;
  }
  return Status();
}

// Whether the node's readers may read its first input instead: only with control flow, where such nodes stand between
// iterations and branches.
bool NodePlans::IsPassthrough(const Node& node) const {
  if (!plan_.has_control_flow_ || node.inputs.empty() || graph_.is_ref(node.inputs[0])) return false;
  const ControlFlowKind control_flow = node_plans_[node.id].control_flow;
  return control_flow == ControlFlowKind::kSwitch || control_flow == ControlFlowKind::kLoopCond ||
         node.op->name == "Identity";
}

bool NodePlans::IsCounted(Output value) const {
  const Node& node = graph_.node(value.node);
  const NodePlan& node_plan = node_plans_[value.node];
  if (node_plan.is_invariant || node.output_types[value.port].is_ref) return false;
  return (value.port > 0 || !node_plan.has_fixed()) && ArenaBytes(value) < 0;
}

int64_t NodePlans::ArenaBytes(Output value) const {
  const NodePlan& node_plan = node_plans_[value.node];
  const TypedArg& type = graph_.node(value.node).output_types[value.port];
  const PartialShape& known_shape = graph_.node(value.node).output_shapes[value.port];
  const bool gives_values =
      node_plan.control_flow != ControlFlowKind::kNone || (node_plan.def != nullptr && !node_plan.def->shares_outputs);
  if (!gives_values || type.is_ref || !IsPlain(type.dtype)) return -1;
  if (plan_.all_infos_[value.node].outputs[value.port].in_host) return -1;  // the arena is of the device's memory
  if (!known_shape.IsFullyDefined()) return -1;
  const Result<Shape> shape = known_shape.ToShape();
  int64_t bytes = 0;
  if (!shape.ok() ||
      __builtin_mul_overflow(shape->num_elements(), static_cast<int64_t>(DTypeSize(type.dtype)), &bytes)) {
    return -1;
  }
  return bytes <= MostArenaBytes(node_plan.control_flow) ? bytes : -1;
}

int64_t NodePlans::MostArenaBytes(ControlFlowKind control_flow) const {
  switch (control_flow) {
    // A value that goes to another block is copied in any case, so its size is bounded by the arena alone.
    case ControlFlowKind::kNone:
    case ControlFlowKind::kNextIteration:
    case ControlFlowKind::kExit:
      return options_.max_arena_bytes;
    default:
      return std::min(options_.max_arena_bytes, kMaxValueBytes);
  }
}

}  // namespace dfrun
