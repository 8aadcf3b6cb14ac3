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

enum class StraightOutcome {
  kGoesOn,  // the predicate still holds
  kEnded,   // it does not: what the Exits read is there
  kFailed,  // the step has
};

// One thread's hands on an iteration that stands for all. An object apart from the run loop's, so that the run loop's
// members, which no call here can reach, stay in registers: that is a tenth of the general form's speed.
template <bool kShared>
class StraightRunner : private NodeRunner<kShared> {
 public:
  // How much of a loop runs at one go, in calls: other nodes, and errors elsewhere, wait no longer.
  static constexpr uint32_t kCallsAtOnce = 1024;

  StraightRunner(StepState& step, Iteration& iteration) : NodeRunner<kShared>(step), iteration_(iteration) {
    this->Bind(*iteration.values);
    ExecutorAccess::SetIteration(this->context_, iteration.id);
  }

  // True where what has entered may run as a straight line. Nothing of the frame may have begun.
  static bool MayRun(const FrameRun& frame, const WorkerPool& pool) {
    const StraightLoop* const loop = frame.plan->straight.get();
    if (loop == nullptr || (loop->has_expensive && pool.num_threads() > 1)) return false;
    for (const FrameRun::Entered& entered : frame.entered) {
      if (entered.is_dead) return false;
      if (!entered.is_constant && !FitsHome(*frame.plan, entered)) return false;
    }
    return true;
  }

  // Iterations until the predicate does not hold or their calls are enough.
  [[gnu::noinline]] StraightOutcome Run() {
    const StraightLoop& loop = *iteration_.straight;
    for (uint32_t calls = 0; calls < kCallsAtOnce; calls += loop.weight) {
      if (!RunActions(loop, loop.always)) return StraightOutcome::kFailed;
      if (!ValueIn(this->slots_[loop.predicate]).template scalar<bool>()) {
        return RunActions(loop, loop.if_false) ? StraightOutcome::kEnded : StraightOutcome::kFailed;
      }
      if (!RunActions(loop, loop.if_true) || !RunMoves(loop)) return StraightOutcome::kFailed;
      iteration_.id = Frames::NextId(*iteration_.frame);
      ExecutorAccess::SetIteration(this->context_, iteration_.id);
    }
    return StraightOutcome::kGoesOn;
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

  Iteration& iteration_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STRAIGHT_RUNNER_H_
