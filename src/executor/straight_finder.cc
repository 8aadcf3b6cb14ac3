#include "src/executor/straight_finder.h"

#include <algorithm>

namespace dfrun {
namespace {

// Up to this size copying bytes costs less than swapping headers.
constexpr size_t kCopiedBytes = 64;
// An expensive kernel counts as this many calls.
constexpr uint32_t kExpensiveWeight = 256;

bool IsIdentityOfValue(const NodeInfo& info) {
  return info.op->name == "Identity" && !info.inputs[0].is_ref;
}

}  // namespace

StraightFinder::StraightFinder(const ExecPlan& plan, int32_t frame)
    : plan_(plan), frame_index_(frame), frame_(plan.frames()[static_cast<size_t>(frame)]) {
  const ValueLayout& layout = frame_.layout;
  placed_.resize(layout.num_slots);
  is_counted_.resize(layout.num_slots);
  is_enter_.resize(layout.num_slots);
  is_home_.resize(layout.num_slots);
  reads_.resize(layout.num_slots);
  next_iteration_.resize(layout.num_slots, -1);
  for (const ValueLayout::PlacedSlot& slot : layout.placed) placed_[slot.slot] = &slot;
  for (uint32_t slot : layout.counted) is_counted_[slot] = true;
}

bool StraightFinder::FindShape() {
  return frame_.num_children == 0 && KernelsFit() && EntersFit() && FindVariables() && FindHomes() && FindSides();
}

bool StraightFinder::KernelsFit() const {
  for (uint32_t node = 0; node < frame_.num_nodes; ++node) {
    if ((Record(node).flags & (kNodeAsync | kNodeRetval | kNodeRunsDead)) != 0) return false;
  }
  return true;
}

// What waits for an Enter that is not constant is a Merge: anything else would run in iteration 0 alone.
bool StraightFinder::EntersFit() {
  for (uint32_t node = 0; node < plan_.num_nodes(); ++node) {
    if (plan_.detail(node).flow != ControlFlowKind::kEnter) continue;
    const EnterPlan& enter = plan_.enter(plan_.detail(node).index);
    if (enter.frame != frame_index_ || enter.is_constant) continue;
    const NodeRecord& record = plan_.records()[node];
    is_enter_[record.first_output] = true;
    if ((&record + 1)->first_edge - record.first_edge != 1) return false;
    if (plan_.flow_edges()[record.first_edge].kind() != FlowEdge::Kind::kMergeData) return false;
  }
  return true;
}

bool StraightFinder::FindVariables() {
  for (uint32_t node = 0; node < frame_.num_nodes; ++node) {
    if (Kind(node) == ControlFlowKind::kNextIteration) {
      next_iteration_[Record(node).first_output] = static_cast<int32_t>(node);
    }
  }
  for (uint32_t node = 0; node < frame_.num_nodes; ++node) {
    if (Kind(node) == ControlFlowKind::kMerge && !FindVariable(node)) return false;
  }
  return true;
}

// A Merge of one Enter and one NextIteration, which wait for nothing else and which nothing else waits for.
bool StraightFinder::FindVariable(uint32_t merge) {
  if (Info(merge).inputs.size() != 2 || Info(merge).outputs[0].is_ref) return false;
  uint32_t enter = Input(merge, 0);
  uint32_t next = Input(merge, 1);
  if (!is_enter_[enter]) std::swap(enter, next);
  if (!is_enter_[enter] || next_iteration_[next] < 0) return false;
  const auto next_iteration = static_cast<uint32_t>(next_iteration_[next]);
  const NodeRecord& record = Record(next_iteration);
  if ((&record + 1)->first_edge - record.first_edge != 1) return false;
  const int32_t count = frame_.layout.pending[merge];
  if (!MergeCount::IsLive(count - MergeCount::kNoLiveInput)) return false;
  const uint32_t given = Record(merge).first_output;
  const bool in_next = Placed(given) == nullptr && Placed(next) != nullptr;
  variables_.push_back({merge, next_iteration, enter, in_next ? next : given, in_next ? given : next});
  is_home_[variables_.back().home] = true;
  return true;
}

bool StraightFinder::FindHomes() {
  std::vector<uint32_t>& homes = loop_.homes;
  homes.resize(frame_.layout.num_slots);
  for (uint32_t slot = 0; slot < homes.size(); ++slot) homes[slot] = slot;
  for (const Variable& variable : variables_) {
    homes[variable.enter_slot] = variable.home;
    homes[Record(variable.merge).first_output] = variable.home;
  }
  int num_conds = 0;
  for (uint32_t node = 0; node < frame_.num_nodes; ++node) {
    const uint32_t given = Record(node).first_output;
    if (Kind(node) == ControlFlowKind::kSwitch) {
      if (Info(node).outputs[0].is_ref) return false;
      homes[given] = homes[given + 1] = homes[Input(node, 0)];
    } else if (Kind(node) == ControlFlowKind::kLoopCond) {
      ++num_conds;
      loop_.loop_cond = node;
      homes[given] = loop_.predicate = homes[Input(node, 0)];
    } else if (Kind(node) == ControlFlowKind::kNone && IsIdentityOfValue(Info(node))) {
      homes[given] = homes[Input(node, 0)];
    }
  }
  return num_conds == 1;
}

bool StraightFinder::FindSides() {
  sides_.assign(frame_.num_nodes, Side::kAlways);
  triggered_ = sides_;
  for (uint32_t node = 0; node < frame_.num_nodes; ++node) {
    if (!SideFits(node)) return false;
    const ControlFlowKind kind = Kind(node);
    if (kind == ControlFlowKind::kExit || kind == ControlFlowKind::kNextIteration) continue;
    const NodeRecord& record = Record(node);
    for (uint32_t e = record.first_edge; e != (&record + 1)->first_edge; ++e) {
      const FlowEdge& edge = plan_.flow_edges()[e];
      Side side = sides_[node];
      if (kind == ControlFlowKind::kSwitch && edge.port() != FlowEdge::kControlPort) {
        side = edge.port() == 0 ? Side::kIfFalse : Side::kIfTrue;
      }
      if (kind == ControlFlowKind::kMerge && edge.port() == 1) return false;  // which input came
      std::vector<Side>& reached = kind == ControlFlowKind::kControlTrigger ? triggered_ : sides_;
      if (!Reach(reached[edge.node()], side)) return false;
    }
  }
  return true;
}

// False where a node is on both sides.
bool StraightFinder::Reach(Side& reached, Side side) {
  if (side == Side::kAlways || reached == side) return true;
  if (reached != Side::kAlways) return false;
  reached = side;
  return true;
}

// Called once all that reaches the node is known.
bool StraightFinder::SideFits(uint32_t node) const {
  if (triggered_[node] != Side::kAlways && triggered_[node] != sides_[node]) return false;
  switch (Kind(node)) {
    case ControlFlowKind::kMerge:
    case ControlFlowKind::kLoopCond:
      return sides_[node] == Side::kAlways;
    case ControlFlowKind::kSwitch:
      return sides_[node] == Side::kAlways && loop_.homes[Input(node, 1)] == loop_.predicate;
    case ControlFlowKind::kNextIteration:
      return sides_[node] == Side::kIfTrue;
    case ControlFlowKind::kExit:
      return sides_[node] == Side::kIfFalse;
    case ControlFlowKind::kEnter:
      return false;
    default:
      return true;
  }
}

StraightLoop StraightFinder::Make(std::vector<uint32_t>& inputs) {
  AddActions(inputs);
  AddMoves();
  FindReads(inputs);
  AddReleases(loop_.always, &Reads::always, inputs);
  AddReleases(loop_.if_true, &Reads::if_true, inputs);
  AddReleases(loop_.if_false, &Reads::if_false, inputs);
  AddEmptied();
  return std::move(loop_);
}

std::vector<StraightAction>& StraightFinder::ActionsOf(Side side) {
  if (side == Side::kAlways) return loop_.always;
  return side == Side::kIfTrue ? loop_.if_true : loop_.if_false;
}

void StraightFinder::AddActions(std::vector<uint32_t>& inputs) {
  loop_.weight = 1;
  for (uint32_t node = 0; node < frame_.num_nodes; ++node) {
    StraightAction action{.record = Record(node), .node = frame_.first_node + node};
    if (Kind(node) == ControlFlowKind::kExit) {
      loop_.exits.push_back({action.node, loop_.homes[Input(node, 0)]});
      continue;
    }
    if (action.record.fn == nullptr || IsIdentityOfValue(Info(node))) continue;
    action.record.flags &= kNodeExpensive | kNodeReadsRefs;
    action.record.first_input = static_cast<uint32_t>(inputs.size());
    for (uint32_t i = 0; i < Info(node).inputs.size(); ++i) {
      inputs.push_back(loop_.homes[inputs[Record(node).first_input + i]]);
    }
    const bool is_expensive = (action.record.flags & kNodeExpensive) != 0;
    loop_.has_expensive |= is_expensive;
    loop_.weight += is_expensive ? kExpensiveWeight : 1;
    ActionsOf(sides_[node]).push_back(action);
  }
}

// A value that may lie in another variable's home waits until all such values are safe.
void StraightFinder::AddMoves() {
  std::vector<int> moves_of(frame_.layout.num_slots, 0);
  const auto from = [&](const Variable& variable) { return loop_.homes[Input(variable.next_iteration, 0)]; };
  for (const Variable& variable : variables_) ++moves_of[from(variable)];
  for (const Variable& variable : variables_) {
    if (NeedsStage(from(variable), variable)) AddMove(variable.next_iteration, from(variable), variable.stage, false);
  }
  for (const Variable& variable : variables_) {
    if (from(variable) == variable.home || NeedsStage(from(variable), variable)) continue;
    AddMove(variable.next_iteration, from(variable), variable.home, moves_of[from(variable)] == 1);
  }
  for (const Variable& variable : variables_) {
    if (NeedsStage(from(variable), variable)) AddMove(variable.next_iteration, variable.stage, variable.home, true);
  }
}

bool StraightFinder::NeedsStage(uint32_t from, const Variable& variable) const {
  if (from == variable.home) return false;
  // A kernel without a place for its output may share that of its input.
  return is_home_[from] || Placed(from) == nullptr;
}

void StraightFinder::AddMove(uint32_t node, uint32_t from, uint32_t to, bool may_swap) {
  const ValueLayout::PlacedSlot* const source = Placed(from);
  const ValueLayout::PlacedSlot* const target = Placed(to);
  StraightMove move{.kind = target != nullptr ? StraightMove::Kind::kFill : StraightMove::Kind::kHand,
                    .bytes = 0,
                    .from = from,
                    .to = to,
                    .node = frame_.first_node + node};
  if (source != nullptr && target != nullptr && source->dtype == target->dtype && source->shape == target->shape) {
    const size_t bytes = static_cast<size_t>(source->shape.num_elements()) * DTypeSize(source->dtype);
    move.bytes = static_cast<uint32_t>(bytes);
    if (bytes <= kCopiedBytes) {
      move.kind = StraightMove::Kind::kCopy;
    } else if (may_swap) {
      move.kind = StraightMove::Kind::kSwap;
    }
  }
  loop_.moves.push_back(move);
}

void StraightFinder::FindReads(const std::vector<uint32_t>& inputs) {
  const auto read_by = [&](const std::vector<StraightAction>& actions, int32_t Reads::*side) {
    for (size_t a = 0; a < actions.size(); ++a) {
      const size_t num_inputs = plan_.info(actions[a].node).inputs.size();
      for (size_t i = 0; i < num_inputs; ++i) {
        reads_[inputs[actions[a].record.first_input + i]].*side = static_cast<int32_t>(a);
      }
    }
  };
  read_by(loop_.always, &Reads::always);
  read_by(loop_.if_true, &Reads::if_true);
  read_by(loop_.if_false, &Reads::if_false);
  for (const StraightMove& move : loop_.moves) reads_[move.from].moved = true;
  for (const StraightExit& exit : loop_.exits) reads_[exit.from].exits = true;
  // A variable that keeps its value is read by the next iteration; so is the predicate after the calls.
  for (const Variable& variable : variables_) {
    if (loop_.homes[Input(variable.next_iteration, 0)] == variable.home) reads_[variable.home].moved = true;
  }
  reads_[loop_.predicate].moved = true;
}

bool StraightFinder::IsLastRead(uint32_t slot, int32_t Reads::*side, int32_t action) const {
  const Reads& reads = reads_[slot];
  if (!IsCounted(slot) || reads.*side != action) return false;
  if (side == &Reads::if_true) return !reads.moved;
  if (side == &Reads::if_false) return !reads.exits;
  return reads.if_true < 0 && reads.if_false < 0 && !reads.moved && !reads.exits;
}

void StraightFinder::AddReleases(std::vector<StraightAction>& actions, int32_t Reads::*side,
                                 const std::vector<uint32_t>& inputs) {
  for (size_t a = 0; a < actions.size(); ++a) {
    StraightAction& action = actions[a];
    const NodeInfo& info = plan_.info(action.node);
    action.first_release = static_cast<uint32_t>(loop_.releases.size());
    const auto first = inputs.begin() + action.record.first_input;
    const auto end = first + static_cast<std::ptrdiff_t>(info.inputs.size());
    for (auto it = first; it != end; ++it) {
      if (!IsLastRead(*it, side, static_cast<int32_t>(a)) || std::find(first, it, *it) != it) continue;
      loop_.releases.push_back(*it);
      if (it - first < 64 && std::count(first, end, *it) == 1) action.forwardable |= uint64_t{1} << (it - first);
    }
    for (uint32_t slot = action.record.first_output; slot < action.record.first_output + info.outputs.size(); ++slot) {
      const Reads& reads = reads_[slot];
      const bool is_read = reads.always >= 0 || reads.if_true >= 0 || reads.if_false >= 0 || reads.moved || reads.exits;
      if (IsCounted(slot) && !is_read) loop_.releases.push_back(slot);
    }
    action.num_releases = static_cast<uint32_t>(loop_.releases.size()) - action.first_release;
    if (action.num_releases > 0) action.record.flags |= kNodeReleases;
  }
}

// A kernel finds its outputs without a place empty, whatever it left there in the iteration before.
void StraightFinder::AddEmptied() {
  for (uint32_t slot : frame_.layout.counted) {
    const Reads& reads = reads_[slot];
    const bool is_kept = reads.moved || reads.if_false >= 0 || reads.exits;
    if (is_kept && !is_home_[slot]) loop_.emptied.push_back(slot);
  }
}

std::optional<StraightLoop> FindStraightLoop(const ExecPlan& plan, int32_t frame, std::vector<uint32_t>& inputs) {
  StraightFinder finder(plan, frame);
  if (!finder.FindShape()) return std::nullopt;
  return finder.Make(inputs);
}

}  // namespace dfrun
