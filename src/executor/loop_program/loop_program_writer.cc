#include "src/executor/loop_program/loop_program_writer.h"

#include <algorithm>
#include <utility>

#include "src/executor/loop_program/loop_program_order.h"

namespace dfrun {
namespace {

// Copying up to this many bytes costs less than swapping headers.
constexpr size_t kMaxCopiedBytes = 64;
// An expensive kernel counts as this many calls.
constexpr uint32_t kExpensiveWeight = 256;

size_t BytesOf(const ValueLayout::ArenaSlot& slot) {
  return static_cast<size_t>(slot.shape.num_elements()) * DTypeSize(slot.dtype);
}

bool AreAlike(const ValueLayout::ArenaSlot* a, const ValueLayout::ArenaSlot* b) {
  return a != nullptr && b != nullptr && a->dtype == b->dtype && a->shape == b->shape;
}

}  // namespace

LoopProgramWriter::LoopProgramWriter(const LoopProgramFrame& frame, LoopProgramShape shape)
    : frame_(frame),
      shape_(std::move(shape)),
      homes_(shape_.homes),
      blocks_(shape_.guards, loop_),
      reads_(shape_.guards, shape_.homes.size()),
      maker_(shape_.homes.size(), -1),
      written_(shape_.homes.size(), LoopGuards::kNone),
      is_moved_to_(shape_.homes.size()) {
  loop_.weight = 1;
}

LoopProgram LoopProgramWriter::Write() {
  WriteInPlace();
  AddEntries();
  for (uint32_t item : Order()) AddItem(item);
  AddNext();
  End();
  for (size_t a = 0; a < loop_.actions.size(); ++a) {
    loop_.actions[a].call.inputs = loop_.inputs.data() + first_input_[a];
  }
  for (LoopBlock& block : loop_.blocks) {
    if (block.predicate >= 0) block.predicate = static_cast<int32_t>(homes_[static_cast<size_t>(block.predicate)]);
  }
  reads_.FindLast();
  AddReleases();
  AddEmptied();
  return std::move(loop_);
}

void LoopProgramWriter::AddEntries() {
  for (const Variable& variable : shape_.variables) {
    loop_.entries.push_back({variable.enter_slot, variable.home, frame_.InArena(variable.home)});
  }
  std::sort(loop_.entries.begin(), loop_.entries.end(),
            [](const LoopEntry& a, const LoopEntry& b) { return a.enter_slot < b.enter_slot; });
}

// A kernel that makes the result of a branch in that very branch writes it where the Merge would. Outer conditionals
// come first, so that the kernels of inner ones write there too.
void LoopProgramWriter::WriteInPlace() {
  for (uint32_t node = 0; node < frame_.plan().num_nodes; ++node) {
    const bool is_made = frame_.IsCalled(node) && frame_.Info(node).outputs.size() == 1;
    if (is_made || shape_.choice_of[node] >= 0) maker_[frame_.Record(node).first_output] = static_cast<int32_t>(node);
  }
  std::vector<uint32_t> target_of(shape_.homes.size());
  for (uint32_t slot = 0; slot < target_of.size(); ++slot) target_of[slot] = slot;
  for (auto choice = shape_.choices.rbegin(); choice != shape_.choices.rend(); ++choice) {
    const uint32_t target = target_of[frame_.Record(choice->merge).first_output];
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t source = shape_.homes[frame_.Input(choice->merge, i)];
      if (target_of[source] == source && MayWriteAt(source, target, choice->guards[i])) target_of[source] = target;
    }
  }
  for (uint32_t& home : homes_) home = target_of[home];
}

bool LoopProgramWriter::MayWriteAt(uint32_t source, uint32_t target, GuardId guard) const {
  if (maker_[source] < 0 || !AreAlike(frame_.InArena(source), frame_.InArena(target))) return false;
  return shape_.guard_of[static_cast<size_t>(maker_[source])] == guard;
}

// Returns the order of calls and moves. Numbers below num_nodes are the frame's nodes; then come two for each
// conditional's end, the moves of its inputs.
std::vector<uint32_t> LoopProgramWriter::Order() const {
  const uint32_t num_nodes = frame_.plan().num_nodes;
  LoopProgramOrder order(shape_.guards, shape_.has_ended);
  for (uint32_t node = 0; node < num_nodes; ++node) order.Add(shape_.guard_of[node], /*is_late=*/false);
  for (const LoopProgramShape::Choice& choice : shape_.choices) {
    for (GuardId guard : choice.guards) order.AddEdge(order.Add(guard, /*is_late=*/true), choice.merge);
  }
  for (uint32_t node = 0; node < num_nodes; ++node) {
    const ControlFlowKind kind = frame_.Kind(node);
    if (kind == ControlFlowKind::kExit || kind == ControlFlowKind::kNextIteration) continue;
    for (const DataflowEdge& edge : frame_.Edges(node)) {
      const bool is_given = edge.kind() == DataflowEdge::Kind::kMergeData;
      const auto end = static_cast<uint32_t>(shape_.choice_of[edge.node()]);
      order.AddEdge(node, is_given ? num_nodes + 2 * end + edge.input() : edge.node());
    }
  }
  return order.Find();
}

void LoopProgramWriter::AddItem(uint32_t item) {
  if (item >= frame_.plan().num_nodes) return AddBranchEnd(item - frame_.plan().num_nodes);
  if (frame_.Kind(item) == ControlFlowKind::kExit) {
    loop_.exits.push_back({PlanNode(item), Source(item, 0)});
  } else if (frame_.IsCalled(item)) {
    AddAction(item);
  }
}

void LoopProgramWriter::AddAction(uint32_t node) {
  const NodeInfo& info = frame_.Info(node);
  const GuardId guard = shape_.guard_of[node];
  GoTo(guard);
  const NodeRecord& record = frame_.Record(node);
  LoopAction action{.call = {.fn = record.fn, .kernel = record.kernel, .info = &info, .node = PlanNode(node)},
                    .flags = record.flags & (kNodeExpensive | kNodeReadsRefs)};
  action.call.first_output = info.outputs.size() == 1 ? homes_[record.first_output] : record.first_output;
  first_input_.push_back(loop_.inputs.size());
  const auto index = static_cast<uint32_t>(loop_.actions.size());
  for (uint32_t i = 0; i < info.inputs.size(); ++i) {
    loop_.inputs.push_back(Source(node, i));
    reads_.Note(loop_.inputs.back(), LoopReads::By::kCall, index, guard);
  }
  for (uint32_t i = 0; i < info.outputs.size(); ++i) written_[action.call.first_output + i] = guard;
  const bool is_expensive = (action.flags & kNodeExpensive) != 0;
  loop_.has_expensive |= is_expensive;
  loop_.weight += is_expensive ? kExpensiveWeight : 1;
  blocks_.Add(action);
}

void LoopProgramWriter::AddBranchEnd(uint32_t item) {
  const LoopProgramShape::Choice& choice = shape_.choices[item / 2];
  const uint32_t from = Source(choice.merge, item % 2);
  const uint32_t to = homes_[frame_.Record(choice.merge).first_output];
  if (from == to) return;
  written_[to] = shape_.guard_of[choice.merge];
  is_moved_to_[to] = true;
  AddMove(choice.guards[item % 2],
          {.kind = LoopMove::Kind::kShare, .bytes = 0, .from = from, .to = to, .node = PlanNode(choice.merge)},
          /*may_swap=*/false);
}

// A value that may lie in another variable's home waits until all such values are safe.
void LoopProgramWriter::AddNext() {
  GoTo(shape_.goes_on);
  std::vector<int> moves_of(frame_.plan().layout.num_slots, 0);
  for (const Variable& variable : shape_.variables) {
    ++moves_of[NextOf(variable)];
    if (NextOf(variable) == variable.home) {
      reads_.Note(variable.home, LoopReads::By::kKeeper, 0, shape_.goes_on);
    } else if (NeedsStage(variable)) {
      written_[variable.stage] = shape_.goes_on;
      AddNextMove(variable, NextOf(variable), variable.stage, false);
    }
  }
  for (const Variable& variable : shape_.variables) {
    if (NextOf(variable) == variable.home || NeedsStage(variable)) continue;
    AddNextMove(variable, NextOf(variable), variable.home, moves_of[NextOf(variable)] == 1);
  }
  for (const Variable& variable : shape_.variables) {
    if (NeedsStage(variable)) AddNextMove(variable, variable.stage, variable.home, true);
  }
}

bool LoopProgramWriter::NeedsStage(const Variable& variable) const {
  const uint32_t from = NextOf(variable);
  if (from == variable.home) return false;
  // A kernel without a place for its output may share that of its input.
  return shape_.is_home[from] || frame_.InArena(from) == nullptr;
}

void LoopProgramWriter::AddNextMove(const Variable& variable, uint32_t from, uint32_t to, bool may_swap) {
  const uint32_t node = PlanNode(variable.next_iteration);
  AddMove(shape_.goes_on, {.kind = LoopMove::Kind::kHand, .bytes = 0, .from = from, .to = to, .node = node}, may_swap);
}

void LoopProgramWriter::End() {
  blocks_.End();
  for (const LoopExit& exit : loop_.exits) {
    reads_.Note(exit.from, LoopReads::By::kKeeper, 0, shape_.has_ended);
  }
}

void LoopProgramWriter::AddMove(GuardId guard, LoopMove move, bool may_swap) {
  GoTo(guard);
  const ValueLayout::ArenaSlot* const target = frame_.InArena(move.to);
  if (target != nullptr) move.kind = LoopMove::Kind::kFill;
  if (target != nullptr && AreAlike(frame_.InArena(move.from), target)) {
    move.bytes = static_cast<uint32_t>(BytesOf(*target));
    if (move.bytes <= kMaxCopiedBytes) {
      move.kind = LoopMove::Kind::kCopy;
    } else if (may_swap) {
      move.kind = LoopMove::Kind::kSwap;
    }
  }
  reads_.Note(move.from, LoopReads::By::kMove, static_cast<uint32_t>(loop_.moves.size()), guard);
  blocks_.Add(move);
}

void LoopProgramWriter::GoTo(GuardId guard) {
  for (GuardId inner : blocks_.GoTo(guard)) {
    const LoopGuards::Guard& test = shape_.guards[inner];
    reads_.Note(homes_[test.predicate], LoopReads::By::kKeeper, 0, test.outer);
  }
}

void LoopProgramWriter::AddReleases() {
  std::vector<std::vector<uint32_t>> by_action(loop_.actions.size());
  for (uint32_t slot : frame_.plan().layout.counted) {
    for (const LoopReads::Read& read : reads_.of(slot)) {
      if (!read.is_last || read.by == LoopReads::By::kKeeper) continue;
      if (read.by == LoopReads::By::kMove) {
        loop_.moves[read.index].empties = true;
      } else {
        by_action[read.index].push_back(slot);
      }
    }
  }
  for (uint32_t a = 0; a < loop_.actions.size(); ++a) AddReleasesOf(a, std::move(by_action[a]));
}

// `slots`: those that the action is the last to read.
void LoopProgramWriter::AddReleasesOf(uint32_t a, std::vector<uint32_t> slots) {
  LoopAction& action = loop_.actions[a];
  const NodeInfo& info = *action.call.info;
  const uint32_t* const first = action.call.inputs;
  const uint32_t* const end = first + info.inputs.size();
  for (uint32_t slot : slots) {
    const auto input = std::find(first, end, slot) - first;
    if (input < 64 && std::count(first, end, slot) == 1) action.forwardable |= uint64_t{1} << input;
  }
  for (uint32_t i = 0; i < info.outputs.size(); ++i) {
    const uint32_t slot = action.call.first_output + i;
    if (frame_.IsCounted(slot) && reads_.of(slot).empty()) slots.push_back(slot);
  }
  action.first_release = static_cast<uint32_t>(loop_.releases.size());
  action.num_releases = static_cast<uint32_t>(slots.size());
  loop_.releases.insert(loop_.releases.end(), slots.begin(), slots.end());
  if (!slots.empty()) action.flags |= kNodeReleases;
}

// A kernel finds its outputs without a place empty, whatever it left there in the iteration before.
void LoopProgramWriter::AddEmptied() {
  for (uint32_t slot : frame_.plan().layout.counted) {
    const GuardId guard = written_[slot];
    if (guard == LoopGuards::kNone || shape_.is_home[slot] || shape_.guards.Exclude(guard, shape_.goes_on)) continue;
    if (!IsEmptied(slot)) loop_.emptied.push_back(slot);
  }
}

// Whether the slot's value, in an iteration that is not the last, is released after its reads or, where nothing reads
// it, after the call.
bool LoopProgramWriter::IsEmptied(uint32_t slot) const {
  const bool in_all = shape_.guards.Contains(written_[slot], shape_.goes_on);
  const GuardId written = in_all ? shape_.goes_on : written_[slot];
  const std::vector<LoopReads::Read>& reads = reads_.of(slot);
  if (reads.empty()) return !is_moved_to_[slot];
  return std::any_of(reads.begin(), reads.end(), [&](const LoopReads::Read& read) {
    return read.is_last && read.by != LoopReads::By::kKeeper && shape_.guards.Contains(read.guard, written);
  });
}

std::optional<LoopProgram> FindLoopProgram(const ExecPlan& plan, int32_t frame_index) {
  const LoopProgramFrame frame(plan, frame_index);
  LoopProgramFinder finder(plan, frame, frame_index);
  if (!finder.Find()) return std::nullopt;
  return LoopProgramWriter(frame, finder.TakeShape()).Write();
}

}  // namespace dfrun
