// Finds the loop program of a frame of a finished plan, in the order of its methods.
#ifndef DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_FINDER_H_
#define DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_FINDER_H_

#include <vector>

#include "src/executor/loop_program/loop_program.h"
#include "src/executor/loop_program/loop_program_guards.h"

namespace dfrun {

// The roles of a frame's nodes in its loop program. Nodes are numbered within the frame, in an order in which they may
// run.
// Thread safety: one thread.
struct LoopProgramShape {
  struct Variable {
    uint32_t merge;
    uint32_t next_iteration;
    uint32_t enter_slot;
    uint32_t home;
    uint32_t stage;  // slot that holds its next value until others have moved
  };
  // The end of a conditional.
  struct Choice {
    uint32_t merge;
    GuardId guards[2] = {LoopGuards::kNone, LoopGuards::kNone};  // by input
  };

  std::vector<Variable> variables;
  std::vector<Choice> choices;
  std::vector<int32_t> choice_of;  // by node; -1: it is none
  std::vector<uint32_t> homes;     // by slot
  std::vector<bool> is_home;       // by slot: of a variable
  uint32_t predicate = 0;          // the home of the LoopCond's input
  LoopGuards guards;
  std::vector<GuardId> guard_of;  // by node
  GuardId goes_on = LoopGuards::kNone;
  GuardId has_ended = LoopGuards::kNone;
};

// A frame of a plan.
class LoopProgramFrame {
 public:
  LoopProgramFrame(const ExecPlan& plan, int32_t frame);

  const FramePlan& plan() const { return frame_; }
  const NodeRecord& Record(uint32_t node) const { return plan_.records()[frame_.first_node + node]; }
  const NodeInfo& Info(uint32_t node) const { return plan_.info(frame_.first_node + node); }
  ControlFlowKind Kind(uint32_t node) const { return plan_.detail(frame_.first_node + node).control_flow; }
  uint32_t Input(uint32_t node, uint32_t i) const { return plan_.inputs()[Record(node).first_input + i]; }
  std::span<const DataflowEdge> Edges(uint32_t node) const;
  bool IsCounted(uint32_t slot) const { return is_counted_[slot]; }
  const ValueLayout::ArenaSlot* InArena(uint32_t slot) const { return arena_slots_[slot]; }
  // Whether a kernel is called for it.
  bool IsCalled(uint32_t node) const { return Record(node).fn != nullptr; }

 private:
  const ExecPlan& plan_;
  const FramePlan& frame_;
  std::vector<const ValueLayout::ArenaSlot*> arena_slots_;  // by slot
  std::vector<bool> is_counted_;                            // by slot
};

// One search for a frame's loop program.
// Thread safety: one thread.
class LoopProgramFinder {
 public:
  // The plan and the frame must outlive the object.
  LoopProgramFinder(const ExecPlan& plan, const LoopProgramFrame& frame, int32_t frame_index)
      : plan_(plan), frame_(frame), frame_index_(frame_index) {}

  // Returns false where the frame has no such form.
  bool Find();
  // Returns the result of Find().
  LoopProgramShape TakeShape() { return std::move(shape_); }

 private:
  using Choice = LoopProgramShape::Choice;

  bool KernelsFit() const;
  bool EntersFit();
  bool FindMerges();
  bool FindMerge(uint32_t merge);
  bool AddVariable(uint32_t merge, uint32_t enter, uint32_t next);
  bool AddChoice(uint32_t merge);
  bool FindHomes();
  bool FindHome(uint32_t node);
  bool FindGuards();
  bool FindGuard(uint32_t node);
  bool HandGuardOn(uint32_t node);
  bool GuardFits(uint32_t node) const;
  GuardId GuardOfEdge(uint32_t node, const DataflowEdge& edge);

  const ExecPlan& plan_;
  const LoopProgramFrame& frame_;
  const int32_t frame_index_;
  std::vector<bool> is_enter_;           // by slot: output of an Enter that is not constant
  std::vector<int32_t> next_iteration_;  // by slot: the NextIteration that gives it
  LoopProgramShape shape_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_LOOP_PROGRAM_LOOP_PROGRAM_FINDER_H_
