// Runs loop programs (loop_program.h) for the run loop of plans with control flow.
#ifndef DFRUN_SRC_EXECUTOR_DATAFLOW_LOOP_PROGRAM_RUNNER_H_
#define DFRUN_SRC_EXECUTOR_DATAFLOW_LOOP_PROGRAM_RUNNER_H_

#include <algorithm>
#include <utility>

#include "src/executor/dataflow/node_runner.h"
#include "src/executor/loop_program/loop_program.h"
#include "src/executor/step/forward_value.h"
#include "src/executor/step/frames.h"

namespace dfrun {

enum class LoopProgramOutcome {
  kGoesOn,  // the predicate still holds
  kEnded,   // the predicate is false; the Exits' values are there
  kFailed,  // the step has
};

// Runs a loop program on one thread, in an iteration that stands for all. It is a separate object from the run loop's,
// so that the run loop's members, which no call here can reach, stay in registers; that is worth a tenth of the speed
// of loops without a program.
template <bool kShared>
class LoopProgramRunner : private NodeRunner<kShared> {
 public:
  // The calls that run at one go: other nodes, and errors elsewhere, wait no longer than that.
  static constexpr uint32_t kCallsAtOnce = 1024;

  LoopProgramRunner(StepState& step, Iteration& iteration)
      : NodeRunner<kShared>(step), iteration_(iteration), loop_(*iteration.program) {
    this->Bind(*iteration.values);
    ExecutorAccess::SetIteration(this->context_, iteration.id);
  }

  // Returns true where the values that entered may run as a straight line. Nothing of the frame may have begun.
  static bool MayRun(const FrameRun& frame, const WorkerPool& pool) {
    const LoopProgram* const loop = frame.plan->program.get();
    if (loop == nullptr || (loop->has_expensive && pool.num_threads() > 1)) return false;
    for (const FrameRun::Entered& entered : frame.entered) {
      if (entered.is_dead) return false;
      if (!entered.is_constant && !FitsHomes(*loop, entered)) return false;
    }
    return true;
  }

  // Iterations until the predicate does not hold or their calls are enough. All that cheap kernels need is inline in
  // it.
  [[gnu::noinline, gnu::flatten]] LoopProgramOutcome Run() {
    for (uint32_t left = kCallsAtOnce / loop_.weight + 1; left > 0; --left) {
      const int32_t last = RunIteration();
      if (last != LoopBlock::kAgain) {
        return last == LoopBlock::kEnd ? LoopProgramOutcome::kEnded : LoopProgramOutcome::kFailed;
      }
      for (uint32_t slot : loop_.emptied) this->slots_[slot].Reset();
      iteration_.id = iteration_.frame->NextId();
      ExecutorAccess::SetIteration(this->context_, iteration_.id);
    }
    return LoopProgramOutcome::kGoesOn;
  }

 private:
  // A value that enters a home in the arena must have the shape that the plan found for later iterations.
  static bool FitsHomes(const LoopProgram& loop, const FrameRun::Entered& entered) {
    const std::span<const LoopEntry> entries = loop.EntriesOf(entered.enter->first_output);
    return std::all_of(entries.begin(), entries.end(), [&](const LoopEntry& entry) {
      return entry.arena_slot == nullptr || entered.value.shape() == entry.arena_slot->shape;
    });
  }

  static constexpr int32_t kFailed = -3;

  // Returns the `next` of the iteration's last block, or kFailed.
  int32_t RunIteration() {
    int32_t next = 0;
    do {
      const LoopBlock& block = loop_.blocks[static_cast<size_t>(next)];
      if (!RunActions(block) || !RunMoves(block)) return kFailed;
      next = block.next[0];
      if (block.predicate >= 0 && this->slots_[block.predicate].template scalar<bool>()) {
        next = block.next[1];
        asm volatile("");  // a jump, which is foreseen, and no index into next, which would wait for the predicate
      }
    } while (next >= 0);
    return next;
  }

  bool RunActions(const LoopBlock& block) {
    for (const LoopAction& action : block.actions) {
      if (action.flags != 0) {
        if (!RunFlaggedAction(action)) return false;
      } else if (!this->Call(action.call, 0)) {
        return false;
      }
    }
    return true;
  }

  [[gnu::noinline]] bool RunFlaggedAction(const LoopAction& action) {
    if ((action.flags & kNodeReadsRefs) != 0) {
      const uint32_t node = action.call.node;
      if (!this->Succeeded(node, CheckRefs(this->plan_, node, this->slots_))) return false;
    }
    if ((action.flags & kNodeExpensive) != 0) {
      this->PollIfDue();
      if (!this->CallTimed(action.call, action.forwardable)) return false;
    } else if (!this->Call(action.call, action.forwardable)) {
      return false;
    }
    for (uint32_t i = 0; i < action.num_releases; ++i) {
      this->slots_[loop_.releases[action.first_release + i]].Reset();
    }
    return true;
  }

  bool RunMoves(const LoopBlock& block) {
    for (const LoopMove& move : block.moves) {
      if (move.kind == LoopMove::Kind::kCopy) {
        CopySmall(this->slots_[move.from].raw(), move.bytes, this->slots_[move.to].raw());
      } else if (!RunMove(move)) {
        return false;
      }
    }
    return true;
  }

  [[gnu::noinline]] bool RunMove(const LoopMove& move) {
    Tensor& from = this->slots_[move.from];
    Tensor& to = this->slots_[move.to];
    if (move.kind == LoopMove::Kind::kSwap) {
      std::swap(from, to);
      return true;
    }
    if (move.kind != LoopMove::Kind::kFill) to.Reset();
    const bool same_iteration = move.kind == LoopMove::Kind::kShare;
    const Status s = ForwardValue(from, {from.dtype(), false}, same_iteration, this->plan_.device(), to);
    if (!this->Succeeded(move.node, s)) return false;
    if (move.empties) from.Reset();
    return true;
  }

  Iteration& iteration_;
  const LoopProgram& loop_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_DATAFLOW_LOOP_PROGRAM_RUNNER_H_
