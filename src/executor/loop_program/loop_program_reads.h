// Finds the last reads of a loop program's slots in an iteration.
#ifndef DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_READS_H_
#define DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_READS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/executor/loop_program/loop_program_guards.h"

namespace dfrun {

// Thread safety: one thread.
class LoopReads {
 public:
  enum class By : uint8_t {
    kCall,    // an action
    kMove,    // a move
    kKeeper,  // a read that needs the value to stay: a predicate, an Exit, the next iteration
  };
  struct Read {
    By by;
    uint32_t index;  // index of the action or the move
    GuardId guard;
    bool is_last = false;
  };

  // `guards` outlives it.
  LoopReads(const LoopGuards& guards, size_t num_slots) : guards_(guards), reads_(num_slots) {}

  // Notes a read. Call in the order in which the loop reads.
  void Note(uint32_t slot, By by, uint32_t index, GuardId guard);
  // Marks the reads after which no other read of the slot may come. Call when all reads are noted.
  void FindLast();
  const std::vector<Read>& of(uint32_t slot) const { return reads_[slot]; }

 private:
  const LoopGuards& guards_;
  std::vector<std::vector<Read>> reads_;  // by slot
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_READS_H_
