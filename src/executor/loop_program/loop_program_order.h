// The order of a loop program's calls and moves: each after those that it waits for, and those of one guard together
// where possible, since each piece of a guard costs a look at its predicate.
#ifndef DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_ORDER_H_
#define DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_ORDER_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "src/executor/loop_program/loop_program_guards.h"

namespace dfrun {

// Thread safety: one thread.
class LoopProgramOrder {
 public:
  // `first`: the guard that comes before others where there is a choice. `guards` outlives it and is complete.
  LoopProgramOrder(const LoopGuards& guards, GuardId first);

  // Adds an item and returns its number; numbers count from 0. A late item comes at the end of a piece of its guard.
  uint32_t Add(GuardId guard, bool is_late);
  void AddEdge(uint32_t before, uint32_t after);
  // Returns all items in order. The edges have no cycle.
  std::vector<uint32_t> Find();

 private:
  struct Item {
    GuardId guard;
    bool is_late;
    uint32_t waits_for = 0;
    std::vector<uint32_t> readers = {};
  };
  // The ready items of one guard.
  struct Ready {
    std::deque<uint32_t> items = {};
    std::vector<uint32_t> late_items = {};
    std::deque<GuardId> inner = {};  // guards right within it that hold something; stale where no longer is_queued
    bool is_queued = false;          // stands in the outer guard's `inner`
  };

  Ready& At(GuardId guard) { return ready_[static_cast<size_t>(guard)]; }
  void MakeReady(uint32_t item);
  void Take(uint32_t item);
  bool GoIn();
  void GoOut();

  const LoopGuards& guards_;
  const GuardId first_;
  std::vector<Item> items_;
  std::vector<Ready> ready_;
  GuardId current_ = LoopGuards::kAlways;
  GuardId left_ = LoopGuards::kNone;  // the guard within the current one that was left last
  std::vector<uint32_t> order_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_ORDER_H_
