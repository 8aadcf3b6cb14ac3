// Runs straight loops (straight_loop.h) for the run loop of plans with control flow.
#ifndef DFRUN_SRC_EXECUTOR_STRAIGHT_RUNNER_H_
#define DFRUN_SRC_EXECUTOR_STRAIGHT_RUNNER_H_

#include <cstring>
#include <utility>
#include <vector>

#include "src/executor/frames.h"
#include "src/executor/hand_over.h"
#include "src/executor/node_runner.h"
#include "src/executor/straight_loop.h"

namespace dfrun {

template <bool kShared>
class StraightRunner : protected NodeRunner<kShared> {
 protected:
  enum class Went {
    kOn,     // the predicate still holds
    kToEnd,  // it does not: what the Exits read is there
    kWrong,  // the step has failed
  };
  // How much of a loop runs at one go, in calls: other nodes, and errors elsewhere, wait no longer.
  static constexpr uint32_t kCallsAtOnce = 1024;

  explicit StraightRunner(StepState& step) : NodeRunner<kShared>(step) {}

  // True where what has entered may run as a straight line. Nothing of the frame may have begun.
  bool MayRunStraight(const FrameRun& frame) const {
    const StraightLoop* const loop = frame.plan->straight.get();
    if (loop == nullptr || (loop->has_expensive && this->pool_.num_threads() > 1)) return false;
    for (const FrameRun::Entered& entered : frame.entered) {
      if (entered.is_dead) return false;
      if (!entered.is_constant && !FitsHome(*frame.plan, entered)) return false;
    }
    return true;
  }

  // Iterations until the predicate does not hold or their calls are enough. `calls` is raised by those.
  Went RunIterations(Iteration& iteration, uint32_t& calls) {
    const StraightLoop& loop = *iteration.straight;
    for (uint32_t spent = 0; spent < kCallsAtOnce; spent += loop.weight, calls += loop.weight) {
      if (!RunActions(loop, loop.always)) return Went::kWrong;
      if (!ValueIn(this->slots_[loop.predicate]).template scalar<bool>()) {
        return RunActions(loop, loop.if_false) ? Went::kToEnd : Went::kWrong;
      }
      if (!RunActions(loop, loop.if_true) || !RunMoves(loop)) return Went::kWrong;
      iteration.id = Frames::NextId(*iteration.frame);
      ExecutorAccess::SetIteration(this->context_, iteration.id);
    }
    return Went::kOn;
  }

 private:
  // What enters a home in the arena must have the shape that the plan found for later iterations.
  static bool FitsHome(const FramePlan& frame, const FrameRun::Entered& entered) {
    const uint32_t home = frame.straight->homes[entered.enter->first_output];
    for (const ValueLayout::PlacedSlot& placed : frame.layout.placed) {
      if (placed.slot == home) return entered.value.shape() == placed.shape;
    }
    return true;
  }

  bool RunActions(const StraightLoop& loop, const std::vector<StraightAction>& actions) {
    for (const StraightAction& action : actions) {
      if (action.record.flags != 0) {
        if (!RunFlaggedAction(loop, action)) return false;
      } else if (!this->Call(action.node, action.record, 0)) {
        return false;
      }
    }
    return true;
  }

  bool RunFlaggedAction(const StraightLoop& loop, const StraightAction& action) {
    const NodeRecord& record = action.record;
    if ((record.flags & kNodeReadsRefs) != 0) {
      if (Status s = CheckRefs(this->plan_, action.node, this->slots_); !s.ok()) return Failed(action.node, s);
    }
    if ((record.flags & kNodeExpensive) != 0) {
      this->PollIfDue();
      if (!this->CallTimed(action.node, record, action.forwardable)) return false;
    } else if (!this->Call(action.node, record, action.forwardable)) {
      return false;
    }
    for (uint32_t i = 0; i < action.num_releases; ++i) {
      this->slots_[loop.releases[action.first_release + i]].Reset();
    }
    return true;
  }

  bool RunMoves(const StraightLoop& loop) {
    for (const StraightMove& move : loop.moves) {
      Tensor& from = this->slots_[move.from];
      Tensor& to = this->slots_[move.to];
      if (move.kind == StraightMove::Kind::kCopy) {
        CopySmall(from.raw(), move.bytes, to.raw());
      } else if (move.kind == StraightMove::Kind::kSwap) {
        std::swap(from, to);
      } else {
        if (move.kind == StraightMove::Kind::kHand) to.Reset();
        const Status s = HandOver(from, {from.dtype(), false}, false, this->plan_.device().allocator(), to);
        if (!s.ok()) return Failed(move.node, s);
      }
    }
    for (uint32_t slot : loop.emptied) this->slots_[slot].Reset();
    return true;
  }

  static void CopySmall(const void* from, uint32_t bytes, void* to) {
    switch (bytes) {
      case 4:
        std::memcpy(to, from, 4);
        break;
      case 8:
        std::memcpy(to, from, 8);
        break;
      default:
        std::memcpy(to, from, bytes);
    }
  }

  bool Failed(uint32_t node, const Status& status) {
    this->Fail(node, status);
    return false;
  }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STRAIGHT_RUNNER_H_
