// Finds the straight form of a frame of a finished plan, in the order of its methods.
#ifndef DFRUN_SRC_EXECUTOR_STRAIGHT_FINDER_H_
#define DFRUN_SRC_EXECUTOR_STRAIGHT_FINDER_H_

#include <vector>

#include "src/executor/straight_guards.h"
#include "src/executor/straight_loop.h"

namespace dfrun {

// What a frame's nodes are in its straight form. Numbers of nodes are within the frame, whose order is one in which its
// nodes may run. Thread safety: one thread.
struct StraightShape {
  struct Variable {
    uint32_t merge;
    uint32_t next_iteration;
    uint32_t enter_slot;
    uint32_t home;
    uint32_t stage;  // where its next value waits for others to be moved
  };
  // The end of a conditional.
  struct Choice {
    uint32_t merge;
    GuardId guards[2] = {StraightGuards::kNone, StraightGuards::kNone};  // of the inputs
  };

  std::vector<Variable> variables;
  std::vector<Choice> choices;
  std::vector<int32_t> choice_of;  // by node; -1: it is none
  std::vector<uint32_t> homes;     // by slot
  std::vector<bool> is_home;       // by slot: of a variable
  uint32_t predicate = 0;          // the home of what its LoopCond reads
  StraightGuards guards;
  std::vector<GuardId> guard_of;  // by node
  GuardId goes_on = StraightGuards::kNone;
  GuardId has_ended = StraightGuards::kNone;
};

// A frame of a plan.
class StraightFrame {
 public:
  StraightFrame(const ExecPlan& plan, int32_t frame);

  const FramePlan& plan() const { return frame_; }
  const NodeRecord& Record(uint32_t node) const { return plan_.records()[frame_.first_node + node]; }
  const NodeInfo& Info(uint32_t node) const { return plan_.info(frame_.first_node + node); }
  ControlFlowKind Kind(uint32_t node) const { return plan_.detail(frame_.first_node + node).flow; }
  uint32_t Input(uint32_t node, uint32_t i) const { return plan_.inputs()[Record(node).first_input + i]; }
  std::span<const FlowEdge> Edges(uint32_t node) const;
  bool IsCounted(uint32_t slot) const { return is_counted_[slot]; }
  const ValueLayout::PlacedSlot* Placed(uint32_t slot) const { return placed_[slot]; }
  // Whether a kernel is called for it.
  bool IsCalled(uint32_t node) const { return Record(node).fn != nullptr; }

 private:
  const ExecPlan& plan_;
  const FramePlan& frame_;
  std::vector<const ValueLayout::PlacedSlot*> placed_;  // by slot
  std::vector<bool> is_counted_;                        // by slot
};

class StraightFinder {
 public:
  // Both arguments outlive it.
  StraightFinder(const ExecPlan& plan, const StraightFrame& frame, int32_t frame_index)
      : plan_(plan), frame_(frame), frame_index_(frame_index) {}

  // False where the frame has no such form.
  bool Find();
  // What Find() found.
  StraightShape TakeShape() { return std::move(shape_); }

 private:
  using Choice = StraightShape::Choice;

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
  GuardId GuardOfEdge(uint32_t node, const FlowEdge& edge);

  const ExecPlan& plan_;
  const StraightFrame& frame_;
  const int32_t frame_index_;
  std::vector<bool> is_enter_;           // by slot: what an Enter gives that is not constant
  std::vector<int32_t> next_iteration_;  // by slot: the NextIteration that gives it
  StraightShape shape_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STRAIGHT_FINDER_H_
