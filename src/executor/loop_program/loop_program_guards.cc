#include "src/executor/loop_program/loop_program_guards.h"

namespace dfrun {

GuardId LoopGuards::Within(GuardId outer, uint32_t predicate, bool side) {
  for (GuardId guard = outer; guard != kAlways; guard = (*this)[guard].outer) {
    if ((*this)[guard].predicate == predicate) return (*this)[guard].side == side ? outer : kNone;
  }
  const int32_t depth = (*this)[outer].depth + 1;
  if (depth > kMaxDepth) return kNone;
  const auto [it, is_new] = made_.emplace(std::pair(outer, predicate), static_cast<GuardId>(all_.size()));
  if (is_new) {
    all_.push_back({outer, predicate, false, depth});
    all_.push_back({outer, predicate, true, depth});
  }
  return it->second + (side ? 1 : 0);
}

GuardId LoopGuards::OtherSide(GuardId guard) const {
  return (*this)[guard].side ? guard - 1 : guard + 1;
}

GuardId LoopGuards::Both(GuardId a, GuardId b) const {
  if (Contains(a, b)) return b;
  return Contains(b, a) ? a : kNone;
}

bool LoopGuards::Contains(GuardId outer, GuardId inner) const {
  while ((*this)[inner].depth > (*this)[outer].depth) inner = (*this)[inner].outer;
  return inner == outer;
}

bool LoopGuards::Exclude(GuardId a, GuardId b) const {
  while ((*this)[a].depth > (*this)[b].depth) a = (*this)[a].outer;
  while ((*this)[b].depth > (*this)[a].depth) b = (*this)[b].outer;
  for (; a != b; a = (*this)[a].outer, b = (*this)[b].outer) {
    if (OtherSide(a) == b) return true;
  }
  return false;
}

}  // namespace dfrun
