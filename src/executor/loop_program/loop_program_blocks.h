// Lays a loop program's actions and moves out in blocks, as their guards ask.
#ifndef DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_BLOCKS_H_
#define DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_BLOCKS_H_

#include <vector>

#include "src/executor/loop_program/loop_program.h"
#include "src/executor/loop_program/loop_program_guards.h"

namespace dfrun {

// Thread safety: one thread.
class LoopProgramBlocks {
 public:
  // The guards and the loop must outlive the object.
  LoopProgramBlocks(const LoopGuards& guards, LoopProgram& loop);

  // Later additions run where `guard` holds. Returns the guards whose predicates are read on the way, from outside
  // inwards.
  std::vector<GuardId> GoTo(GuardId guard);
  void Add(const LoopAction& action);
  void Add(const LoopMove& move);
  // Marks the end of an iteration that another one follows. The loop ends on paths that do not get here. Nothing may be
  // added afterwards.
  void End();

 private:
  // A guard that we are in.
  struct Open {
    GuardId guard;
    uint32_t test;  // the block that looks at the predicate
    bool has_other_side = false;
    std::vector<uint32_t> ends = {};  // blocks that go on behind it
  };

  GuardId current() const { return open_.empty() ? LoopGuards::kAlways : open_.back().guard; }
  uint32_t last() const { return static_cast<uint32_t>(loop_.blocks.size()) - 1; }
  LoopBlock& block(uint32_t i) { return loop_.blocks[i]; }
  void Begin();
  void GoIn(GuardId guard);
  void GoToOtherSide();
  void GoOut();
  void SetRanges();
  void SkipEmptyBlocks();
  int32_t Behind(int32_t next) const;

  // The first action and the first move of a block; the next block's range ends them.
  struct Range {
    size_t first_action;
    size_t first_move;
  };

  const LoopGuards& guards_;
  LoopProgram& loop_;
  std::vector<Range> ranges_;  // by block
  std::vector<Open> open_;
  bool is_ended_ = false;  // the last block goes on to another iteration
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_BLOCKS_H_
