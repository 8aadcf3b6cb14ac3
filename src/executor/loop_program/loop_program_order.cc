#include "src/executor/loop_program/loop_program_order.h"

#include <utility>

namespace dfrun {

LoopProgramOrder::LoopProgramOrder(const LoopGuards& guards, GuardId first)
    : guards_(guards), first_(first), ready_(guards.size()) {}

uint32_t LoopProgramOrder::Add(GuardId guard, bool is_late) {
  items_.push_back({guard, is_late});
  return static_cast<uint32_t>(items_.size()) - 1;
}

void LoopProgramOrder::AddEdge(uint32_t before, uint32_t after) {
  items_[before].readers.push_back(after);
  ++items_[after].waits_for;
}

std::vector<uint32_t> LoopProgramOrder::Find() {
  for (uint32_t item = 0; item < items_.size(); ++item) {
    if (items_[item].waits_for == 0) MakeReady(item);
  }
  for (;;) {
    Ready& here = At(current_);
    if (!here.items.empty()) {
      const uint32_t item = here.items.front();
      here.items.pop_front();
      Take(item);
    } else if (GoIn()) {
      continue;
    } else if (!here.late_items.empty()) {
      for (uint32_t item : std::exchange(here.late_items, {})) Take(item);
    } else if (current_ == LoopGuards::kAlways) {
      return std::move(order_);
    } else {
      GoOut();
    }
  }
}

void LoopProgramOrder::Take(uint32_t item) {
  order_.push_back(item);
  for (uint32_t reader : items_[item].readers) {
    if (--items_[reader].waits_for == 0) MakeReady(reader);
  }
}

// Guards around the current one are on the way out.
void LoopProgramOrder::MakeReady(uint32_t item) {
  const GuardId guard = items_[item].guard;
  if (items_[item].is_late) {
    At(guard).late_items.push_back(item);
  } else {
    At(guard).items.push_back(item);
  }
  for (GuardId inner = guard; !guards_.Contains(inner, current_); inner = guards_[inner].outer) {
    if (std::exchange(At(inner).is_queued, true)) return;
    std::deque<GuardId>& queue = At(guards_[inner].outer).inner;
    if (inner == first_) {
      queue.push_front(inner);
    } else {
      queue.push_back(inner);
    }
  }
}

// Goes into a guard. The other side of the guard that was left comes first, so that one look at the predicate does for
// both.
bool LoopProgramOrder::GoIn() {
  const GuardId other = left_ != LoopGuards::kNone ? guards_.OtherSide(left_) : LoopGuards::kNone;
  left_ = LoopGuards::kNone;
  std::deque<GuardId>& queue = At(current_).inner;
  if (other != LoopGuards::kNone && At(other).is_queued) queue.push_front(other);
  while (!queue.empty()) {
    const GuardId inner = queue.front();
    queue.pop_front();
    if (!std::exchange(At(inner).is_queued, false)) continue;
    current_ = inner;
    return true;
  }
  return false;
}

void LoopProgramOrder::GoOut() {
  left_ = current_;
  current_ = guards_[current_].outer;
}

}  // namespace dfrun
