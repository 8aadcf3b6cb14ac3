// Finds the straight form of a frame of a finished plan, in the order of its methods.
#ifndef DFRUN_SRC_EXECUTOR_STRAIGHT_FINDER_H_
#define DFRUN_SRC_EXECUTOR_STRAIGHT_FINDER_H_

#include <vector>

#include "src/executor/straight_loop.h"

namespace dfrun {

// Numbers of nodes are within the frame, whose order is one in which its nodes may run. Thread safety: one thread.
class StraightFinder {
 public:
  // Both arguments outlive it.
  StraightFinder(const ExecPlan& plan, int32_t frame);

  // False where the frame has no such form.
  bool FindShape();
  // What FindShape() found. Adds to `inputs`.
  StraightLoop Make(std::vector<uint32_t>& inputs);

 private:
  // When a node runs: which side of the Switches it is on.
  enum class Side : uint8_t { kAlways, kIfTrue, kIfFalse };

  struct Variable {
    uint32_t merge;
    uint32_t next_iteration;
    uint32_t enter_slot;
    uint32_t home;
    uint32_t stage;  // where its next value waits for others to be moved
  };
  // Where a slot without a place is read last; indices of actions, -1: not there.
  struct Reads {
    int32_t always = -1;
    int32_t if_true = -1;
    int32_t if_false = -1;
    bool moved = false;
    bool exits = false;
  };

  const NodeRecord& Record(uint32_t node) const { return plan_.records()[frame_.first_node + node]; }
  const NodeInfo& Info(uint32_t node) const { return plan_.info(frame_.first_node + node); }
  ControlFlowKind Kind(uint32_t node) const { return plan_.detail(frame_.first_node + node).flow; }
  uint32_t Input(uint32_t node, uint32_t i) const { return plan_.inputs()[Record(node).first_input + i]; }
  bool IsCounted(uint32_t slot) const { return is_counted_[slot]; }
  const ValueLayout::PlacedSlot* Placed(uint32_t slot) const { return placed_[slot]; }

  bool KernelsFit() const;
  bool EntersFit();
  bool FindVariables();
  bool FindVariable(uint32_t merge);
  bool FindHomes();
  bool FindSides();
  static bool Reach(Side& reached, Side side);
  bool SideFits(uint32_t node) const;

  std::vector<StraightAction>& ActionsOf(Side side);
  void AddActions(std::vector<uint32_t>& inputs);
  void AddMoves();
  void AddMove(uint32_t node, uint32_t from, uint32_t to, bool may_swap);
  bool NeedsStage(uint32_t from, const Variable& variable) const;
  void FindReads(const std::vector<uint32_t>& inputs);
  void AddReleases(std::vector<StraightAction>& actions, int32_t Reads::*side, const std::vector<uint32_t>& inputs);
  bool IsLastRead(uint32_t slot, int32_t Reads::*side, int32_t action) const;
  void AddEmptied();

  const ExecPlan& plan_;
  const int32_t frame_index_;
  const FramePlan& frame_;
  std::vector<const ValueLayout::PlacedSlot*> placed_;  // by slot
  std::vector<bool> is_counted_;                        // by slot
  std::vector<bool> is_enter_;                          // by slot: what an Enter gives that is not constant
  std::vector<int32_t> next_iteration_;                 // by slot: the NextIteration that gives it
  std::vector<Variable> variables_;
  std::vector<bool> is_home_;    // by slot: of a variable
  std::vector<Side> sides_;      // by node
  std::vector<Side> triggered_;  // by node: the side of a ControlTrigger before it
  std::vector<Reads> reads_;     // by slot
  StraightLoop loop_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STRAIGHT_FINDER_H_
