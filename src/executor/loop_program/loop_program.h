// A loop that runs as a straight line: the kernels of an iteration in one fixed order, without a queue, counters or
// deadness. Conditionals in it are jumps between blocks of that line.
//
// Such a loop stays in one block of values (StepValues), and slots that only hand a value on (of a loop variable's
// Merge, of a Switch) are not written at all: kernels read the value in its home, the slot where it lies. The end of an
// iteration moves the next values of the loop's variables to their homes; the end of a branch moves its result to the
// Merge behind it, unless the kernel that made the result has written it there at once.
//
// A frame has this form (FindLoopProgram, loop_program_writer.h) if
//   - each of its Merges is a loop variable, or the end of a conditional: its two inputs come from the two sides of one
//     predicate; there is no loop inside;
//   - no node waits for values of two branches that do not lie within each other; Exits are on the false side of the
//     LoopCond alone, NextIterations on its true side alone, and nothing else of the loop's frame work in a branch;
//   - all kernels are synchronous, and none of its nodes is fetched.
// A step runs it so if no dead value entered, and, where the pool has several threads, if no kernel in it is expensive:
// iterations of those may overlap, which the general form does (DataflowLoop).
#ifndef DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_H_
#define DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_H_

#include <algorithm>
#include <span>
#include <vector>

#include "src/executor/plan/plan.h"

namespace dfrun {

// A kernel call.
struct alignas(64) LoopAction {
  KernelCall call;             // its inputs are homes, in LoopProgram::inputs
  uint64_t forwardable = 0;    // inputs that nothing reads after it
  uint32_t flags = 0;          // the node's flags that the call must obey
  uint32_t first_release = 0;  // in LoopProgram::releases; num_releases slots are empty after the call
  uint32_t num_releases = 0;
};

// A value that an iteration hands to the next, or a branch to the nodes after it.
struct LoopMove {
  enum class Kind : uint8_t {
    kCopy,   // `bytes` bytes between places of the arena
    kSwap,   // places of the arena, by their headers
    kFill,   // into a place of the arena, by ForwardValue()
    kHand,   // into a slot without a place, for another iteration, likewise
    kShare,  // into a slot without a place, for the same iteration, likewise
  };
  Kind kind;
  bool empties = false;  // `from` is empty after it
  uint32_t bytes;
  uint32_t from;
  uint32_t to;
  uint32_t node;  // the NextIteration or the Merge, in the plan
};

// Kernel calls, then moves, then a jump to another block or to the end of the iteration.
struct alignas(64) LoopBlock {
  static constexpr int32_t kAgain = -1;  // the first block, in another iteration
  static constexpr int32_t kEnd = -2;    // the loop has ended
  // Elements that stand one after the other.
  template <class T>
  struct Range {
    const T* first = nullptr;
    const T* last = nullptr;
    const T* begin() const { return first; }
    const T* end() const { return last; }
    bool empty() const { return first == last; }
  };
  Range<LoopAction> actions;
  Range<LoopMove> moves;
  int32_t predicate = -1;    // a slot that is looked at, no reference; -1: none
  int32_t next[2] = {0, 0};  // by the predicate's value; next[0] where there is none
};

// The first value of a loop variable.
struct LoopEntry {
  uint32_t enter_slot;  // an Enter's output; variables with the same first value share it
  uint32_t home;
  const ValueLayout::ArenaSlot* arena_slot;  // the home's place; null: none
};

struct LoopExit {
  uint32_t node;  // in the plan
  uint32_t from;
};

// Moved and never copied: blocks point into it.
struct LoopProgram {
  LoopProgram() = default;
  LoopProgram(LoopProgram&&) = default;
  LoopProgram& operator=(LoopProgram&&) = default;

  bool has_expensive = false;
  uint32_t weight = 0;  // cost of an iteration: its number of calls; an expensive call counts as many
  std::vector<uint32_t> inputs;
  std::vector<LoopBlock> blocks;
  std::vector<LoopAction> actions;
  std::vector<LoopMove> moves;
  std::vector<uint32_t> emptied;  // slots that are empty at the end of an iteration
  std::vector<LoopExit> exits;    // after the last
  std::vector<uint32_t> releases;
  std::vector<LoopEntry> entries;  // by enter_slot, in rising order

  // Returns the variables that begin with the value of an Enter.
  std::span<const LoopEntry> EntriesOf(uint32_t enter_slot) const {
    const auto is_before = [](const LoopEntry& entry, uint32_t slot) { return entry.enter_slot < slot; };
    const auto first = std::lower_bound(entries.begin(), entries.end(), enter_slot, is_before);
    const auto end = std::lower_bound(first, entries.end(), enter_slot + 1, is_before);
    return {entries.data() + (first - entries.begin()), static_cast<size_t>(end - first)};
  }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_H_
