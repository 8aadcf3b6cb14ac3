#include "src/executor/loop_program/loop_program_blocks.h"

#include <utility>

namespace dfrun {

LoopProgramBlocks::LoopProgramBlocks(const LoopGuards& guards, LoopProgram& loop) : guards_(guards), loop_(loop) {
  Begin();
}

std::vector<GuardId> LoopProgramBlocks::GoTo(GuardId guard) {
  while (!guards_.Contains(current(), guard)) {
    if (!open_.back().has_other_side && guards_.Contains(guards_.OtherSide(current()), guard)) {
      GoToOtherSide();
    } else {
      GoOut();
    }
  }
  std::vector<GuardId> way;
  for (GuardId inner = guard; inner != current(); inner = guards_[inner].outer) way.insert(way.begin(), inner);
  for (GuardId inner : way) GoIn(inner);
  return way;
}

void LoopProgramBlocks::Add(const LoopAction& action) {
  if (ranges_.back().first_move != loop_.moves.size()) {  // calls come before moves
    const uint32_t before = last();
    Begin();
    block(before).next[0] = static_cast<int32_t>(last());
  }
  loop_.actions.push_back(action);
}

void LoopProgramBlocks::Add(const LoopMove& move) {
  loop_.moves.push_back(move);
}

void LoopProgramBlocks::End() {
  block(last()).next[0] = LoopBlock::kAgain;
  is_ended_ = true;
  while (!open_.empty()) GoOut();
  block(last()).next[0] = LoopBlock::kEnd;
  SetRanges();
  SkipEmptyBlocks();
}

void LoopProgramBlocks::Begin() {
  loop_.blocks.emplace_back();
  ranges_.push_back({loop_.actions.size(), loop_.moves.size()});
}

void LoopProgramBlocks::GoIn(GuardId guard) {
  const uint32_t test = last();
  open_.push_back({guard, test});
  Begin();
  block(test).predicate = static_cast<int32_t>(guards_[guard].predicate);
  block(test).next[guards_[guard].side ? 1 : 0] = static_cast<int32_t>(last());
}

void LoopProgramBlocks::GoToOtherSide() {
  Open& open = open_.back();
  open.ends.push_back(last());
  open.guard = guards_.OtherSide(open.guard);
  open.has_other_side = true;
  Begin();
  block(open.test).next[guards_[open.guard].side ? 1 : 0] = static_cast<int32_t>(last());
}

void LoopProgramBlocks::GoOut() {
  Open open = std::move(open_.back());
  open_.pop_back();
  if (!std::exchange(is_ended_, false)) open.ends.push_back(last());
  Begin();
  const auto behind = static_cast<int32_t>(last());
  for (uint32_t end : open.ends) block(end).next[0] = behind;
  if (!open.has_other_side) block(open.test).next[guards_[open.guard].side ? 0 : 1] = behind;
}

void LoopProgramBlocks::SetRanges() {
  ranges_.push_back({loop_.actions.size(), loop_.moves.size()});
  const LoopAction* const actions = loop_.actions.data();
  const LoopMove* const moves = loop_.moves.data();
  for (size_t i = 0; i < loop_.blocks.size(); ++i) {
    const Range& begin = ranges_[i];
    const Range& end = ranges_[i + 1];
    loop_.blocks[i].actions = {actions + begin.first_action, actions + end.first_action};
    loop_.blocks[i].moves = {moves + begin.first_move, moves + end.first_move};
  }
}

void LoopProgramBlocks::SkipEmptyBlocks() {
  for (LoopBlock& block : loop_.blocks) {
    for (int32_t& next : block.next) next = Behind(next);
  }
}

// Returns the block that follows once empty blocks are skipped, beginning at block `next`.
int32_t LoopProgramBlocks::Behind(int32_t next) const {
  while (next >= 0) {
    const LoopBlock& block = loop_.blocks[static_cast<size_t>(next)];
    if (block.predicate >= 0 || !block.actions.empty() || !block.moves.empty()) break;
    next = block.next[0];
  }
  return next;
}

}  // namespace dfrun
