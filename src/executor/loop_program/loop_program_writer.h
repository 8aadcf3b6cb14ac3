// Writes the loop program that a frame was found to have, in the order of its methods.
#ifndef DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_WRITER_H_
#define DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_WRITER_H_

#include <optional>
#include <vector>

#include "src/executor/loop_program/loop_program_blocks.h"
#include "src/executor/loop_program/loop_program_finder.h"
#include "src/executor/loop_program/loop_program_reads.h"

namespace dfrun {

// Thread safety: one thread.
class LoopProgramWriter {
 public:
  // The frame outlives it.
  LoopProgramWriter(const LoopProgramFrame& frame, LoopProgramShape shape);

  LoopProgram Write();

 private:
  using Variable = LoopProgramShape::Variable;

  uint32_t PlanNode(uint32_t node) const { return frame_.plan().first_node + node; }
  // The home of a node's input.
  uint32_t Source(uint32_t node, uint32_t i) const { return homes_[frame_.Input(node, i)]; }

  // Returns the home of the variable's value for the next iteration.
  uint32_t NextOf(const Variable& variable) const { return Source(variable.next_iteration, 0); }

  void AddEntries();
  void WriteInPlace();
  bool MayWriteAt(uint32_t source, uint32_t target, GuardId guard) const;
  std::vector<uint32_t> Order() const;
  void AddItem(uint32_t item);
  void AddAction(uint32_t node);
  void AddBranchEnd(uint32_t item);
  void AddNext();
  void AddNextMove(const Variable& variable, uint32_t from, uint32_t to, bool may_swap);
  void End();
  bool NeedsStage(const Variable& variable) const;
  void AddMove(GuardId guard, LoopMove move, bool may_swap);
  void GoTo(GuardId guard);
  void AddReleases();
  void AddReleasesOf(uint32_t action, std::vector<uint32_t> slots);
  void AddEmptied();
  bool IsEmptied(uint32_t slot) const;

  const LoopProgramFrame& frame_;
  const LoopProgramShape shape_;
  std::vector<uint32_t> homes_;  // by slot
  LoopProgram loop_;
  LoopProgramBlocks blocks_;
  LoopReads reads_;
  std::vector<size_t> first_input_;  // by action, in LoopProgram::inputs
  std::vector<int32_t> maker_;       // by slot: the node, of one output, whose kernel gives it; or a conditional's end
  std::vector<GuardId> written_;     // by slot: where something is written there; kNone: nowhere
  std::vector<bool> is_moved_to_;    // by slot: of a conditional's end
};

// The frame's loop program; nothing where it has none.
std::optional<LoopProgram> FindLoopProgram(const ExecPlan& plan, int32_t frame);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_WRITER_H_
