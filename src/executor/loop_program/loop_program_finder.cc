#include "src/executor/loop_program/loop_program_finder.h"

#include <algorithm>

namespace dfrun {

LoopProgramFrame::LoopProgramFrame(const ExecPlan& plan, int32_t frame)
    : plan_(plan), frame_(plan.frames()[static_cast<size_t>(frame)]) {
  arena_slots_.resize(frame_.layout.num_slots);
  is_counted_.resize(frame_.layout.num_slots);
  for (const ValueLayout::ArenaSlot& slot : frame_.layout.arena_slots) arena_slots_[slot.slot] = &slot;
  for (uint32_t slot : frame_.layout.counted) is_counted_[slot] = true;
}

std::span<const DataflowEdge> LoopProgramFrame::Edges(uint32_t node) const {
  const NodeRecord& record = Record(node);
  return {plan_.dataflow_edges() + record.first_edge, (&record + 1)->first_edge - record.first_edge};
}

bool LoopProgramFinder::Find() {
  return frame_.plan().num_children == 0 && frame_.plan().predicates.size() == 1 && KernelsFit() && EntersFit() &&
         FindMerges() && FindHomes() && FindGuards();
}

bool LoopProgramFinder::KernelsFit() const {
  for (uint32_t node = 0; node < frame_.plan().num_nodes; ++node) {
    if ((frame_.Record(node).flags & (kNodeAsync | kNodeRetval | kNodeRunsDead)) != 0) return false;
  }
  return true;
}

// Only Merges may read an Enter that is not constant: any other reader would run in iteration 0 alone.
bool LoopProgramFinder::EntersFit() {
  is_enter_.resize(frame_.plan().layout.num_slots);
  for (uint32_t node = 0; node < plan_.num_nodes(); ++node) {
    if (plan_.detail(node).control_flow != ControlFlowKind::kEnter) continue;
    const EnterPlan& enter = plan_.enter(plan_.detail(node).index);
    if (enter.frame != frame_index_ || enter.is_constant) continue;
    const NodeRecord& record = plan_.records()[node];
    is_enter_[record.first_output] = true;
    for (uint32_t edge = record.first_edge; edge != (&record + 1)->first_edge; ++edge) {
      if (plan_.dataflow_edges()[edge].kind() != DataflowEdge::Kind::kMergeData) return false;
    }
  }
  return true;
}

bool LoopProgramFinder::FindMerges() {
  shape_.is_home.resize(frame_.plan().layout.num_slots);
  shape_.choice_of.resize(frame_.plan().num_nodes, -1);
  next_iteration_.resize(frame_.plan().layout.num_slots, -1);
  for (uint32_t node = 0; node < frame_.plan().num_nodes; ++node) {
    if (frame_.Kind(node) == ControlFlowKind::kNextIteration) {
      next_iteration_[frame_.Record(node).first_output] = static_cast<int32_t>(node);
    }
  }
  for (uint32_t node = 0; node < frame_.plan().num_nodes; ++node) {
    if (frame_.Kind(node) == ControlFlowKind::kMerge && !FindMerge(node)) return false;
  }
  return true;
}

bool LoopProgramFinder::FindMerge(uint32_t merge) {
  const NodeInfo& info = frame_.Info(merge);
  if (info.inputs.size() != 2 || info.inputs[0].is_ref || info.inputs[1].is_ref || info.outputs[0].is_ref) return false;
  const auto reads_index = [](const DataflowEdge& edge) { return edge.port() == 1; };  // port 1: the number of the live
                                                                                       // input
  const std::span<const DataflowEdge> edges = frame_.Edges(merge);
  if (std::any_of(edges.begin(), edges.end(), reads_index)) return false;
  uint32_t enter = frame_.Input(merge, 0);
  uint32_t next = frame_.Input(merge, 1);
  if (!is_enter_[enter]) std::swap(enter, next);
  if (is_enter_[enter]) return next_iteration_[next] >= 0 && AddVariable(merge, enter, next);
  return next_iteration_[enter] < 0 && next_iteration_[next] < 0 && AddChoice(merge);
}

// A Merge of one Enter and one NextIteration, which wait for nothing else and which nothing else waits for.
bool LoopProgramFinder::AddVariable(uint32_t merge, uint32_t enter, uint32_t next) {
  const auto next_iteration = static_cast<uint32_t>(next_iteration_[next]);
  if (frame_.Edges(next_iteration).size() != 1) return false;
  const int32_t count = frame_.plan().layout.pending[merge];
  if (!MergeCount::IsLive(count - MergeCount::kNoLiveInput)) return false;
  const uint32_t given = frame_.Record(merge).first_output;
  const bool in_next = frame_.InArena(given) == nullptr && frame_.InArena(next) != nullptr;
  shape_.variables.push_back({merge, next_iteration, enter, in_next ? next : given, in_next ? given : next});
  shape_.is_home[shape_.variables.back().home] = true;
  return true;
}

bool LoopProgramFinder::AddChoice(uint32_t merge) {
  shape_.choice_of[merge] = static_cast<int32_t>(shape_.choices.size());
  shape_.choices.push_back({merge});
  return true;
}

bool LoopProgramFinder::FindHomes() {
  shape_.homes.resize(frame_.plan().layout.num_slots);
  for (uint32_t slot = 0; slot < shape_.homes.size(); ++slot) shape_.homes[slot] = slot;
  for (const LoopProgramShape::Variable& variable : shape_.variables) {
    shape_.homes[frame_.Record(variable.merge).first_output] = variable.home;
  }
  for (uint32_t node = 0; node < frame_.plan().num_nodes; ++node) {
    if (!FindHome(node)) return false;
  }
  shape_.predicate = shape_.homes[frame_.plan().predicates[0]];
  return true;
}

bool LoopProgramFinder::FindHome(uint32_t node) {
  const ControlFlowKind kind = frame_.Kind(node);
  if (kind != ControlFlowKind::kSwitch && kind != ControlFlowKind::kLoopCond) return true;
  for (const TypedArg& input : frame_.Info(node).inputs) {
    if (input.is_ref) return false;  // the variable behind a reference may change
  }
  const NodeRecord& record = frame_.Record(node);
  if (kind == ControlFlowKind::kSwitch && (record.flags & kNodePredicateOnly) == 0) {
    std::vector<uint32_t>& homes = shape_.homes;
    homes[record.first_output] = homes[record.first_output + 1] = homes[frame_.Input(node, 0)];
  }
  return true;
}

bool LoopProgramFinder::FindGuards() {
  shape_.goes_on = shape_.guards.Within(LoopGuards::kAlways, shape_.predicate, true);
  shape_.has_ended = shape_.guards.OtherSide(shape_.goes_on);
  shape_.guard_of.assign(frame_.plan().num_nodes, LoopGuards::kAlways);
  for (uint32_t node = 0; node < frame_.plan().num_nodes; ++node) {
    if (!FindGuard(node) || !GuardFits(node) || !HandGuardOn(node)) return false;
  }
  return true;
}

// Finds the node's guard, once all that reach the node are known. A conditional one of whose sides never comes, or
// comes from elsewhere, has no such form.
bool LoopProgramFinder::FindGuard(uint32_t node) {
  if (shape_.choice_of[node] < 0) return true;
  const Choice& choice = shape_.choices[static_cast<size_t>(shape_.choice_of[node])];
  for (GuardId guard : choice.guards) {
    if (guard == LoopGuards::kNone || guard == LoopGuards::kAlways) return false;
  }
  if (shape_.guards.OtherSide(choice.guards[0]) != choice.guards[1]) return false;
  shape_.guard_of[node] = shape_.guards[choice.guards[0]].outer;
  return true;
}

bool LoopProgramFinder::GuardFits(uint32_t node) const {
  const GuardId guard = shape_.guard_of[node];
  switch (frame_.Kind(node)) {
    case ControlFlowKind::kNextIteration:
      return guard == shape_.goes_on;
    case ControlFlowKind::kExit:
      return guard == shape_.has_ended;
    case ControlFlowKind::kEnter:
      return false;
    default:
      return true;
  }
}

// Hands the node's guard on to the nodes that wait for it within the iteration.
bool LoopProgramFinder::HandGuardOn(uint32_t node) {
  const ControlFlowKind kind = frame_.Kind(node);
  if (kind == ControlFlowKind::kExit || kind == ControlFlowKind::kNextIteration) return true;
  for (const DataflowEdge& edge : frame_.Edges(node)) {
    const GuardId guard = GuardOfEdge(node, edge);
    if (guard == LoopGuards::kNone) return false;
    GuardId& reached = shape_.guard_of[edge.node()];
    switch (edge.kind()) {
      case DataflowEdge::Kind::kMergeData:
        shape_.choices[static_cast<size_t>(shape_.choice_of[edge.node()])].guards[edge.input()] = guard;
        break;
      case DataflowEdge::Kind::kMergeControl:
      case DataflowEdge::Kind::kTrigger:
        break;  // the reader waits, but this edge does not make it dead
      default:
        reached = shape_.guards.Both(reached, guard);
        if (reached == LoopGuards::kNone) return false;
    }
  }
  return true;
}

GuardId LoopProgramFinder::GuardOfEdge(uint32_t node, const DataflowEdge& edge) {
  const GuardId guard = shape_.guard_of[node];
  if (frame_.Kind(node) != ControlFlowKind::kSwitch || edge.port() == DataflowEdge::kControlPort) return guard;
  return shape_.guards.Within(guard, shape_.homes[frame_.Input(node, 1)], edge.port() == 1);
}

}  // namespace dfrun
