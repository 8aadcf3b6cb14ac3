#include "src/executor/straight_writer.h"

#include <algorithm>
#include <utility>

#include "src/executor/straight_order.h"

namespace dfrun {
namespace {

// Up to this size copying bytes costs less than swapping headers.
constexpr size_t kCopiedBytes = 64;
// An expensive kernel counts as this many calls.
constexpr uint32_t kExpensiveWeight = 256;

size_t BytesOf(const ValueLayout::PlacedSlot& slot) {
  return static_cast<size_t>(slot.shape.num_elements()) * DTypeSize(slot.dtype);
}

bool AreAlike(const ValueLayout::PlacedSlot* a, const ValueLayout::PlacedSlot* b) {
  return a != nullptr && b != nullptr && a->dtype == b->dtype && a->shape == b->shape;
}

}  // namespace

StraightWriter::StraightWriter(const StraightFrame& frame, StraightShape shape)
    : frame_(frame),
      shape_(std::move(shape)),
      homes_(shape_.homes),
      blocks_(shape_.guards, loop_),
      reads_(shape_.guards, shape_.homes.size()),
      maker_(shape_.homes.size(), -1),
      written_(shape_.homes.size(), StraightGuards::kNone),
      is_moved_to_(shape_.homes.size()) {
  loop_.weight = 1;
}

StraightLoop StraightWriter::Write() {
  WriteInPlace();
  AddEntries();
  for (uint32_t item : Order()) AddItem(item);
  AddNext();
  End();
  for (size_t a = 0; a < loop_.actions.size(); ++a) {
    loop_.actions[a].call.inputs = loop_.inputs.data() + first_input_[a];
  }
  for (StraightBlock& block : loop_.blocks) {
    if (block.predicate >= 0) block.predicate = static_cast<int32_t>(homes_[static_cast<size_t>(block.predicate)]);
  }
  reads_.FindLast();
  AddReleases();
  AddEmptied();
  return std::move(loop_);
}

void StraightWriter::AddEntries() {
  for (const Variable& variable : shape_.variables) {
    loop_.entries.push_back({variable.enter_slot, variable.home, frame_.Placed(variable.home)});
  }
  std::sort(loop_.entries.begin(), loop_.entries.end(),
            [](const StraightEntry& a, const StraightEntry& b) { return a.enter_slot < b.enter_slot; });
}

// What a branch gives, where a kernel in that very branch makes it, that kernel writes where the Merge would.
// Conditionals around others come first, so that the inner ones' kernels write there too.
void StraightWriter::WriteInPlace() {
  for (uint32_t node = 0; node < frame_.plan().num_nodes; ++node) {
    const bool is_made = frame_.IsCalled(node) && frame_.Info(node).outputs.size() == 1;
    if (is_made || shape_.choice_of[node] >= 0) maker_[frame_.Record(node).first_output] = static_cast<int32_t>(node);
  }
  std::vector<uint32_t> place(shape_.homes.size());
  for (uint32_t slot = 0; slot < place.size(); ++slot) place[slot] = slot;
  for (auto choice = shape_.choices.rbegin(); choice != shape_.choices.rend(); ++choice) {
    const uint32_t target = place[frame_.Record(choice->merge).first_output];
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t source = shape_.homes[frame_.Input(choice->merge, i)];
      if (place[source] == source && MayWriteAt(source, target, choice->guards[i])) place[source] = target;
    }
  }
  for (uint32_t& home : homes_) home = place[home];
}

bool StraightWriter::MayWriteAt(uint32_t source, uint32_t target, GuardId guard) const {
  if (maker_[source] < 0 || !AreAlike(frame_.Placed(source), frame_.Placed(target))) return false;
  return shape_.guard_of[static_cast<size_t>(maker_[source])] == guard;
}

// Numbers below that of the frame's nodes stand for those; then two for each conditional's end, what its inputs give.
std::vector<uint32_t> StraightWriter::Order() const {
  const uint32_t num_nodes = frame_.plan().num_nodes;
  StraightOrder order(shape_.guards, shape_.has_ended);
  for (uint32_t node = 0; node < num_nodes; ++node) order.Add(shape_.guard_of[node], /*is_late=*/false);
  for (const StraightShape::Choice& choice : shape_.choices) {
    for (GuardId guard : choice.guards) order.AddEdge(order.Add(guard, /*is_late=*/true), choice.merge);
  }
  for (uint32_t node = 0; node < num_nodes; ++node) {
    const ControlFlowKind kind = frame_.Kind(node);
    if (kind == ControlFlowKind::kExit || kind == ControlFlowKind::kNextIteration) continue;
    for (const FlowEdge& edge : frame_.Edges(node)) {
      const bool is_given = edge.kind() == FlowEdge::Kind::kMergeData;
      const auto end = static_cast<uint32_t>(shape_.choice_of[edge.node()]);
      order.AddEdge(node, is_given ? num_nodes + 2 * end + edge.input() : edge.node());
    }
  }
  return order.Find();
}

void StraightWriter::AddItem(uint32_t item) {
  if (item >= frame_.plan().num_nodes) return AddBranchEnd(item - frame_.plan().num_nodes);
  if (frame_.Kind(item) == ControlFlowKind::kExit) {
    loop_.exits.push_back({PlanNode(item), Source(item, 0)});
  } else if (frame_.IsCalled(item)) {
    AddAction(item);
  }
}

void StraightWriter::AddAction(uint32_t node) {
  const NodeInfo& info = frame_.Info(node);
  const GuardId guard = shape_.guard_of[node];
  GoTo(guard);
  const NodeRecord& record = frame_.Record(node);
  StraightAction action{.call = {.fn = record.fn, .kernel = record.kernel, .info = &info, .node = PlanNode(node)},
                        .flags = record.flags & (kNodeExpensive | kNodeReadsRefs)};
  action.call.first_output = info.outputs.size() == 1 ? homes_[record.first_output] : record.first_output;
  first_input_.push_back(loop_.inputs.size());
  const auto index = static_cast<uint32_t>(loop_.actions.size());
  for (uint32_t i = 0; i < info.inputs.size(); ++i) {
    loop_.inputs.push_back(Source(node, i));
    reads_.Note(loop_.inputs.back(), StraightReads::By::kCall, index, guard);
  }
  for (uint32_t i = 0; i < info.outputs.size(); ++i) written_[action.call.first_output + i] = guard;
  const bool is_expensive = (action.flags & kNodeExpensive) != 0;
  loop_.has_expensive |= is_expensive;
  loop_.weight += is_expensive ? kExpensiveWeight : 1;
  blocks_.Add(action);
}

void StraightWriter::AddBranchEnd(uint32_t item) {
  const StraightShape::Choice& choice = shape_.choices[item / 2];
  const uint32_t from = Source(choice.merge, item % 2);
  const uint32_t to = homes_[frame_.Record(choice.merge).first_output];
  if (from == to) return;
  written_[to] = shape_.guard_of[choice.merge];
  is_moved_to_[to] = true;
  AddMove(choice.guards[item % 2],
          {.kind = StraightMove::Kind::kShare, .bytes = 0, .from = from, .to = to, .node = PlanNode(choice.merge)},
          /*may_swap=*/false);
}

// A value that may lie in another variable's home waits until all such values are safe.
void StraightWriter::AddNext() {
  GoTo(shape_.goes_on);
  std::vector<int> moves_of(frame_.plan().layout.num_slots, 0);
  for (const Variable& variable : shape_.variables) {
    ++moves_of[NextOf(variable)];
    if (NextOf(variable) == variable.home) {
      reads_.Note(variable.home, StraightReads::By::kKeeper, 0, shape_.goes_on);
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

bool StraightWriter::NeedsStage(const Variable& variable) const {
  const uint32_t from = NextOf(variable);
  if (from == variable.home) return false;
  // A kernel without a place for its output may share that of its input.
  return shape_.is_home[from] || frame_.Placed(from) == nullptr;
}

void StraightWriter::AddNextMove(const Variable& variable, uint32_t from, uint32_t to, bool may_swap) {
  const uint32_t node = PlanNode(variable.next_iteration);
  AddMove(shape_.goes_on, {.kind = StraightMove::Kind::kHand, .bytes = 0, .from = from, .to = to, .node = node},
          may_swap);
}

void StraightWriter::End() {
  blocks_.End();
  for (const StraightExit& exit : loop_.exits) {
    reads_.Note(exit.from, StraightReads::By::kKeeper, 0, shape_.has_ended);
  }
}

void StraightWriter::AddMove(GuardId guard, StraightMove move, bool may_swap) {
  GoTo(guard);
  const ValueLayout::PlacedSlot* const target = frame_.Placed(move.to);
  if (target != nullptr) move.kind = StraightMove::Kind::kFill;
  if (target != nullptr && AreAlike(frame_.Placed(move.from), target)) {
    move.bytes = static_cast<uint32_t>(BytesOf(*target));
    if (move.bytes <= kCopiedBytes) {
      move.kind = StraightMove::Kind::kCopy;
    } else if (may_swap) {
      move.kind = StraightMove::Kind::kSwap;
    }
  }
  reads_.Note(move.from, StraightReads::By::kMove, static_cast<uint32_t>(loop_.moves.size()), guard);
  blocks_.Add(move);
}

void StraightWriter::GoTo(GuardId guard) {
  for (GuardId inner : blocks_.GoTo(guard)) {
    const StraightGuards::Guard& test = shape_.guards[inner];
    reads_.Note(homes_[test.predicate], StraightReads::By::kKeeper, 0, test.outer);
  }
}

void StraightWriter::AddReleases() {
  std::vector<std::vector<uint32_t>> by_action(loop_.actions.size());
  for (uint32_t slot : frame_.plan().layout.counted) {
    for (const StraightReads::Read& read : reads_.of(slot)) {
      if (!read.is_last || read.by == StraightReads::By::kKeeper) continue;
      if (read.by == StraightReads::By::kMove) {
        loop_.moves[read.index].empties = true;
      } else {
        by_action[read.index].push_back(slot);
      }
    }
  }
  for (uint32_t a = 0; a < loop_.actions.size(); ++a) AddReleasesOf(a, std::move(by_action[a]));
}

// `slots`: those that the action is the last to read.
void StraightWriter::AddReleasesOf(uint32_t a, std::vector<uint32_t> slots) {
  StraightAction& action = loop_.actions[a];
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
void StraightWriter::AddEmptied() {
  for (uint32_t slot : frame_.plan().layout.counted) {
    const GuardId guard = written_[slot];
    if (guard == StraightGuards::kNone || shape_.is_home[slot] || shape_.guards.Exclude(guard, shape_.goes_on))
      continue;
    if (!IsEmptied(slot)) loop_.emptied.push_back(slot);
  }
}

// Whether, in an iteration that is not the last, what is written is gone after a read or, where nothing reads it, after
// the call.
bool StraightWriter::IsEmptied(uint32_t slot) const {
  const bool in_all = shape_.guards.Contains(written_[slot], shape_.goes_on);
  const GuardId written = in_all ? shape_.goes_on : written_[slot];
  const std::vector<StraightReads::Read>& reads = reads_.of(slot);
  if (reads.empty()) return !is_moved_to_[slot];
  return std::any_of(reads.begin(), reads.end(), [&](const StraightReads::Read& read) {
    return read.is_last && read.by != StraightReads::By::kKeeper && shape_.guards.Contains(read.guard, written);
  });
}

std::optional<StraightLoop> FindStraightLoop(const ExecPlan& plan, int32_t frame_index) {
  const StraightFrame frame(plan, frame_index);
  StraightFinder finder(plan, frame, frame_index);
  if (!finder.Find()) return std::nullopt;
  return StraightWriter(frame, finder.TakeShape()).Write();
}

}  // namespace dfrun
