#include "src/executor/planning/plan_builder.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "src/base/integers.h"
#include "src/executor/loop_program/loop_program_writer.h"
#include "src/framework/device/exchange_memory.h"
#include "src/graph/order/node_order.h"
#include "src/graph/update_gate.h"

namespace dfrun {
namespace {

// Values that fill a vector register get full alignment; scalars lie side by side.
size_t ArenaAlignment(size_t bytes) {
  return std::clamp(std::bit_ceil(bytes), sizeof(int64_t), Allocator::kAlignment);
}

// FNV-1a.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

Status PlanBuilder::Build() {
  plan_.device_ = &device_;
  DF_TRY(FindFrames());
  DF_TRY(node_plans_.Make());
  DF_TRY(edges_.Find(plan_.has_control_flow_));
  NumberNodes();
  DF_TRY(AssignSlots());
  CountReaders();
  for (NodeId id : order_) {
    DF_TRY(AddBlockingInfo(graph_.node(id)));
    WriteNode(graph_.node(id));
  }
  const size_t num_edges = plan_.has_control_flow_ ? plan_.dataflow_edges_.size() : plan_.edges_.size();
  plan_.records_.push_back({.first_edge = static_cast<uint32_t>(num_edges)});
  plan_.details_.push_back({.first_release = static_cast<uint32_t>(plan_.releases_.size())});
  plan_.kernel_stats_ = std::make_unique<ExecPlan::KernelStats[]>(plan_.num_expensive_);
  if (options_.loop_programs && !device_.has_own_memory()) FindLoopPrograms();
  UseExchangeMemory();
  return Status();
}

// Puts values that cross ranks into the device's exchange memory, unless they lie in the arena.
void PlanBuilder::UseExchangeMemory() {
  if (!HasExchangeMemory(device_)) return;
  const auto use = [&](Output value) { plan_.all_infos_[value.node].outputs[value.port].in_host = true; };
  for (const Node& node : graph_.nodes()) {
    if (IsSend(node)) use(node_plans_.ValueOf(node.inputs[0]));
    if (IsRecv(node)) use({node.id, 0});
  }
}

Status PlanBuilder::FindFrames() {
  plan_.has_control_flow_ = HasControlFlow(graph_);
  if (plan_.has_control_flow_) {
    DF_ASSIGN(tree_, BuildFrameTree(graph_));
    if (static_cast<uint32_t>(graph_.num_nodes()) >= DataflowEdge::kMaxNodes) {
      return Unimplemented("a graph of ", graph_.num_nodes(), " nodes with conditionals or loops");
    }
  } else {
    tree_.frames.resize(1);
    tree_.of_node.assign(static_cast<size_t>(graph_.num_nodes()), 0);
    tree_.of_outputs = tree_.of_node;
  }
  frames_.resize(tree_.frames.size());
  plan_.frames_.resize(tree_.frames.size());
  for (size_t f = 1; f < tree_.frames.size(); ++f) {
    FramePlan& frame = plan_.frames_[f];
    frame.name = tree_.frames[f].name;
    frame.name_hash = HashOf(frame.name);
    frame.parallel_iterations = tree_.frames[f].parallel_iterations;
    frame.num_enters = static_cast<int32_t>(tree_.frames[f].enters.size());
    frame.child_index = plan_.frames_[tree_.frames[f].parent].num_children++;
  }
  return Status();
}

void PlanBuilder::NumberNodes() {
  order_ = edges_.order();
  const auto by_frame = [&](NodeId a, NodeId b) { return FrameOf(a) < FrameOf(b); };
  if (plan_.frames_.size() > 1) std::stable_sort(order_.begin(), order_.end(), by_frame);
  for (size_t i = 0; i < order_.size();) {
    FramePlan& frame = plan_.frames_[FrameOf(order_[i])];
    frame.first_node = static_cast<uint32_t>(i);
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = std::find_if(first, order_.end(), [&](NodeId id) { return FrameOf(id) != FrameOf(*first); });
    const auto roots_end = std::stable_partition(first, end, [&](NodeId id) { return edges_.num_awaited(id) == 0; });
    frame.num_roots = static_cast<uint32_t>(roots_end - first);
    frame.num_nodes = static_cast<uint32_t>(end - first);
    for (auto it = first; it != end; ++it) node_plans_[*it].number = static_cast<uint32_t>(it - first);
    i += frame.num_nodes;
  }
}

Status PlanBuilder::AssignSlots() {
  std::vector<NodeId> all = order_;
  for (const Node& node : graph_.nodes()) {
    if (!edges_.IsInPlan(node.id)) all.push_back(node.id);
  }
  for (NodeId id : all) {
    if (node_plans_[id].value.valid()) continue;
    const Node& node = graph_.node(id);
    const int32_t frame = OutputFrame(id);
    ValueLayout& layout = plan_.frames_[frame].layout;
    node_plans_[id].first_slot = layout.num_slots;
    layout.num_slots += node.num_outputs();
    frames_[frame].readers.resize(layout.num_slots, -1);
    for (int i = 0; i < node.num_outputs(); ++i) AssignSlot(node, i, frame, node_plans_[id].first_slot + i);
  }
  return plan_.frames_.size() > 1 ? ShareSettledValues() : Status();
}

void PlanBuilder::AssignSlot(const Node& node, int output, int32_t frame, uint32_t slot) {
  const NodePlan& node_plan = node_plans_[node.id];
  ValueLayout& layout = plan_.frames_[frame].layout;
  if (output == 0 && node_plan.has_fixed()) {
    layout.fixed.push_back({slot, node_plan.fixed});
  } else if (node_plans_.IsCounted({node.id, output})) {
    layout.counted.push_back(slot);
    frames_[frame].readers[slot] = 0;
  } else if (const int64_t bytes = node_plans_.ArenaBytes({node.id, output}); bytes >= 0 && !node_plan.is_invariant) {
    const size_t align = ArenaAlignment(bytes);
    const size_t offset = RoundUp(layout.arena_bytes, align);
    layout.arena_bytes = offset + bytes;
    layout.arena_slots.push_back(
        {slot, node.output_types[output].dtype, *node.output_shapes[output].ToShape(), offset});
  }
}

// Gives each loop that reads a value of frame 0 which is the same in every step a slot for it.
Status PlanBuilder::ShareSettledValues() {
  for (const Node& node : graph_.nodes()) {
    if (node_plans_[node.id].is_settled) continue;
    for (const Output& input : node.inputs) {
      DF_TRY(ShareSettledValue(node, input));
      DF_TRY(ShareSettledValue(node, node_plans_.ValueOf(input)));
    }
    for (NodeId source : node.control_inputs) {
      if (OutputFrame(source) != FrameOf(node.id) && !node_plans_[source].is_settled) {
        return InvalidArgument(graph_.Describe(node.id), " waits for '", graph_.node(source).name,
                               "', which is outside of its loop");
      }
    }
  }
  return Status();
}

Status PlanBuilder::ShareSettledValue(const Node& reader, Output value) {
  const int32_t frame = FrameOf(reader.id);
  const NodePlan& source = node_plans_[value.node];
  if (OutputFrame(value.node) == frame) return Status();
  if (!source.is_settled || !source.has_fixed() || value.port != 0) {
    return InvalidArgument(graph_.Describe(reader.id), " reads '", graph_.node(value.node).name,
                           "' from outside of its loop without an Enter");
  }
  ValueLayout& layout = plan_.frames_[frame].layout;
  if (!frames_[frame].settled_slots.emplace(value.node, layout.num_slots).second) return Status();
  layout.fixed.push_back({layout.num_slots++, source.fixed});
  frames_[frame].readers.push_back(-1);
  return Status();
}

uint32_t PlanBuilder::SlotOf(NodeId reader, Output input) const {
  const Output o = node_plans_.ValueOf(input);
  const int32_t frame = FrameOf(reader);
  if (OutputFrame(o.node) != frame) return frames_[frame].settled_slots.at(o.node);
  return node_plans_[o.node].first_slot + static_cast<uint32_t>(o.port);
}

template <class Visit>
void PlanBuilder::ForEachCountedInput(const Node& node, Visit visit) {
  const std::vector<int32_t>& readers = frames_[FrameOf(node.id)].readers;
  std::vector<std::pair<uint32_t, int32_t>> read;
  for (int i = node_plans_[node.id].value.valid() ? 1 : 0; i < node.num_inputs(); ++i) {
    const uint32_t slot = SlotOf(node.id, node.inputs[i]);
    if (readers[slot] >= 0) read.emplace_back(slot, i);
  }
  std::sort(read.begin(), read.end());
  for (auto it = read.begin(); it != read.end();) {
    const auto end = std::find_if(it, read.end(), [&](const auto& r) { return r.first != it->first; });
    visit(it->first, end - it == 1 ? it->second : -1);
    it = end;
  }
}

void PlanBuilder::CountReaders() {
  for (NodeId id : order_) {
    std::vector<int32_t>& readers = frames_[FrameOf(id)].readers;
    ForEachCountedInput(graph_.node(id), [&](uint32_t slot, int32_t) { ++readers[slot]; });
  }
  for (size_t f = 0; f < frames_.size(); ++f) {
    FrameDraft& frame = frames_[f];
    std::vector<int32_t>& counts = plan_.frames_[f].layout.readers;
    frame.counter.assign(frame.readers.size(), -1);
    for (size_t slot = 0; slot < frame.readers.size(); ++slot) {
      if (frame.readers[slot] < 2) continue;
      frame.counter[slot] = static_cast<int32_t>(counts.size());
      counts.push_back(frame.readers[slot]);
    }
  }
  for (const Node& node : graph_.nodes()) {
    if (node_plans_[node.id].feed < 0) continue;
    const uint32_t slot = node_plans_[node.id].first_slot;
    if (frames_[0].readers[slot] > 0) plan_.feeds_[node_plans_[node.id].feed].slot = static_cast<int32_t>(slot);
  }
}

Status PlanBuilder::AddBlockingInfo(const Node& node) {
  const WaitKind kind = node.op->traits.wait;
  if (kind == WaitKind::kNone) return Status();
  BlockingInfo blocking{.node = static_cast<uint32_t>(plan_.records_.size())};
  if (kind == WaitKind::kSend || kind == WaitKind::kRecv) {
    DF_ASSIGN(const int64_t channel, node.attrs.Get<int64_t>("channel"));
    DF_ASSIGN(const int64_t peer, node.attrs.Get<int64_t>("peer"));
    DF_ASSIGN(blocking.subject, node.attrs.Get<std::string>("tensor_name"));
    blocking.channel = static_cast<int32_t>(channel);
    blocking.peer = static_cast<int32_t>(peer);
  } else if (kind == WaitKind::kMeet) {
    DF_ASSIGN(blocking.group, node.attrs.Get<int64_t>("group"));
  } else if (node.inputs.size() > static_cast<size_t>(node.op->traits.waits_at)) {
    blocking.subject = graph_.node(node.inputs[static_cast<size_t>(node.op->traits.waits_at)].node).name;
  }
  plan_.blocking_infos_.push_back(std::move(blocking));
  return Status();
}

void PlanBuilder::WriteNode(const Node& node) {
  const NodePlan& node_plan = node_plans_[node.id];
  NodeDetail detail{.first_release = static_cast<uint32_t>(plan_.releases_.size()),
                    .control_flow = node_plan.control_flow};
  const size_t num_edges = plan_.has_control_flow_ ? plan_.dataflow_edges_.size() : plan_.edges_.size();
  NodeRecord record{.kernel = node_plan.kernel,
                    .first_input = static_cast<uint32_t>(plan_.inputs_.size()),
                    .first_output = node_plan.first_slot,
                    .first_edge = static_cast<uint32_t>(num_edges)};
  record.flags = Flags(node, detail);
  WriteReleases(node);
  if (plan_.releases_.size() > detail.first_release) record.flags |= kNodeReleases;
  if (node_plan.kernel != nullptr && !node_plan.def->is_async && !node_plan.has_fixed())
    record.fn = node_plan.kernel->fn();
  for (const Output& input : node.inputs) plan_.inputs_.push_back(SlotOf(node.id, input));
  if (plan_.has_control_flow_) {
    WriteDataflowEdges(node.id);
  } else {
    WriteEdges(node.id);
  }
  ValueLayout& layout = plan_.frames_[FrameOf(node.id)].layout;
  layout.pending.push_back(InitialPending(node));
  if (FrameOf(node.id) > 0) layout.later_pending.push_back(layout.pending.back() + PendingLater(node));
  plan_.infos_.push_back(&plan_.all_infos_[node.id]);
  plan_.records_.push_back(record);
  plan_.details_.push_back(detail);
}

void PlanBuilder::WriteEdges(NodeId source) {
  for (const PlanEdges::Edge& edge : edges_.of(source)) {
    plan_.edges_.emplace_back(node_plans_[edge.node].number, /*only_input=*/edges_.num_awaited(edge.node) == 1);
  }
}

void PlanBuilder::WriteDataflowEdges(NodeId source) {
  for (const PlanEdges::Edge& edge : edges_.of(source)) {
    const ControlFlowKind reader = node_plans_[edge.node].control_flow;
    const bool is_control = edge.input < 0;
    DataflowEdge::Kind kind =
        edges_.num_awaited(edge.node) == 1 ? DataflowEdge::Kind::kOnly : DataflowEdge::Kind::kCounted;
    if (reader == ControlFlowKind::kMerge) {
      kind = is_control ? DataflowEdge::Kind::kMergeControl : DataflowEdge::Kind::kMergeData;
    } else if (reader == ControlFlowKind::kControlTrigger) {
      kind = DataflowEdge::Kind::kTrigger;
    }
    if (reader == ControlFlowKind::kExit && kind == DataflowEdge::Kind::kOnly) kind = DataflowEdge::Kind::kOnlyLive;
    plan_.dataflow_edges_.emplace_back(kind, node_plans_[edge.node].number,
                                       edge.port < 0 ? DataflowEdge::kControlPort : static_cast<uint16_t>(edge.port),
                                       static_cast<uint16_t>(std::max(edge.input, 0)));
  }
}

int32_t PlanBuilder::InitialPending(const Node& node) const {
  if (node_plans_[node.id].control_flow != ControlFlowKind::kMerge) return edges_.num_awaited(node.id);
  int32_t controls = 0;
  for (NodeId source : node.control_inputs) controls += node_plans_[source].is_awaited() ? 1 : 0;
  int32_t data = 0;
  for (int i = 0; i < node.num_inputs(); ++i) data += graph_.IsBackEdge(node, i) ? 0 : 1;
  return MergeCount::Initial(controls, data);
}

int32_t PlanBuilder::PendingLater(const Node& node) const {
  if (node_plans_[node.id].control_flow != ControlFlowKind::kMerge) return 0;
  int32_t more = 0;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (graph_.IsBackEdge(node, i)) ++more;
    if (node_plans_[node.inputs[i].node].control_flow == ControlFlowKind::kEnter) --more;
  }
  return more * MergeCount::kDataInput;
}

uint32_t PlanBuilder::Flags(const Node& node, NodeDetail& detail) {
  const NodePlan& node_plan = node_plans_[node.id];
  uint32_t flags = 0;
  ValueLayout& layout = plan_.frames_[FrameOf(node.id)].layout;
  const bool reads_ref =
      std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output o) { return graph_.is_ref(o); });
  if (reads_ref && !node.op->allows_uninitialized_input) flags |= kNodeReadsRefs;
  if (node_plan.fetch >= 0) {
    flags |= kNodeRetval;
    detail.index = node_plan.fetch;
  } else if (node_plan.def != nullptr && node_plan.def->is_async) {
    flags |= kNodeAsync;
    detail.index = layout.num_async++;
    plan_.has_async_ = true;
  } else if (node_plan.kernel != nullptr && !node_plan.has_fixed() && node_plan.kernel->IsExpensive()) {
    flags |= kNodeExpensive;
    detail.index = plan_.num_expensive_++;
  }
  if (IsSend(node)) {
    flags |= kNodeRunsDead;
    if (graph_.node(node.inputs[0].node).op->name == "LoopCond") flags |= kNodeYieldsToPredicate;
  }
  if (node.op->name == kUpdateGateOp) flags |= kNodeGate;
  if (IsGated(node)) flags |= kNodeGated;
  flags |= GateGroup(node) << kGateGroupShift;
  // A NextIteration with control inputs: a value from elsewhere tells that the loop goes on
  // (src/partition/predicate_proxies.h).
  if (node_plan.control_flow == ControlFlowKind::kNextIteration && !node.control_inputs.empty())
    flags |= kNodeYieldsToPredicate;
  if (node_plan.control_flow == ControlFlowKind::kSwitch && node_plan.value.valid()) flags |= kNodePredicateOnly;
  if (node_plan.control_flow != ControlFlowKind::kNone && node_plan.control_flow != ControlFlowKind::kControlTrigger &&
      !node_plan.is_idle()) {
    flags |= kNodeControlFlow;
    detail.index = ControlFlowIndex(node);
    detail.copied_bytes = CopiedBytes(node);
  }
  return flags;
}

int32_t PlanBuilder::ControlFlowIndex(const Node& node) {
  if (node_plans_[node.id].control_flow == ControlFlowKind::kMerge) {
    const auto edges = edges_.of(node.id);
    return std::any_of(edges.begin(), edges.end(), [](const PlanEdges::Edge& e) { return e.port == 1; }) ? 0 : -1;
  }
  if (node_plans_[node.id].control_flow == ControlFlowKind::kEnter) {
    plan_.enters_.push_back({.frame = OutputFrame(node.id), .is_constant = node_plans_[node.id].is_invariant});
    return static_cast<int32_t>(plan_.enters_.size()) - 1;
  }
  if (node_plans_[node.id].control_flow == ControlFlowKind::kExit) {
    std::vector<uint32_t>& exits = plan_.frames_[FrameOf(node.id)].exits;
    exits.push_back(node_plans_[node.id].number);
    return static_cast<int32_t>(exits.size()) - 1;
  }
  return -1;
}

// The bytes to copy where input and output have arena places of one dtype and shape, so that no header need be read;
// else 0.
uint32_t PlanBuilder::CopiedBytes(const Node& node) const {
  if (device_.has_own_memory()) return 0;
  switch (node_plans_[node.id].control_flow) {
    case ControlFlowKind::kMerge:
    case ControlFlowKind::kNextIteration:
      break;
    default:
      return 0;
  }
  const int64_t bytes = node_plans_.ArenaBytes({node.id, 0});
  if (bytes <= 0) return 0;
  for (const Output& from : node.inputs) {
    const Output input = node_plans_.ValueOf(from);
    const bool is_in_arena = !node_plans_[input.node].has_fixed() && node_plans_[input.node].is_awaited();
    if (!is_in_arena || node_plans_.ArenaBytes(input) != bytes) return 0;
    if (graph_.is_ref(input) || !(graph_.shape(input) == node.output_shapes[0])) return 0;
  }
  return static_cast<uint32_t>(bytes);
}

void PlanBuilder::WriteReleases(const Node& node) {
  const FrameDraft& frame = frames_[FrameOf(node.id)];
  ForEachCountedInput(node, [&](uint32_t slot, int32_t input) {
    plan_.releases_.push_back({slot, frame.counter[slot], input < 64 ? input : -1});
  });
  if (OutputFrame(node.id) != FrameOf(node.id) ||
      node_plans_[node.id].control_flow == ControlFlowKind::kNextIteration) {
    return;  // the outputs are slots of another iteration
  }
  if (node_plans_[node.id].value.valid()) return;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const uint32_t slot = node_plans_[node.id].first_slot + i;
    if (frame.readers[slot] == 0) plan_.releases_.push_back({slot, -1, -1});
  }
}

void PlanBuilder::FindLoopPrograms() {
  for (const Node& node : graph_.nodes()) {
    if (node_plans_[node.id].control_flow != ControlFlowKind::kLoopCond) continue;
    plan_.frames_[FrameOf(node.id)].predicates.push_back(SlotOf(node.id, node.inputs[0]));
  }
  for (size_t f = 1; f < plan_.frames_.size(); ++f) {
    std::optional<LoopProgram> loop = FindLoopProgram(plan_, static_cast<int32_t>(f));
    if (loop) plan_.frames_[f].program = std::make_shared<const LoopProgram>(*std::move(loop));
  }
}

}  // namespace dfrun
