// The run loop of plans with conditionals and loops: a ready entry is a node in an iteration, alive or dead.
//
// A dead node does not run: it hands its deadness on to all nodes that wait for it. A Switch does so for one of its
// outputs; a Merge stops it where another input is alive, a ControlTrigger always. FrameExecutor moves values between
// iterations; a loop that has a loop program is one entry that is ready until the loop has ended. Source: white paper
// section 4.4; TensorFlow's executor for the meaning of a dead Enter to a Merge.
#ifndef DFRUN_SRC_EXECUTOR_DATAFLOW_DATAFLOW_LOOP_H_
#define DFRUN_SRC_EXECUTOR_DATAFLOW_DATAFLOW_LOOP_H_

#include <utility>

#include "src/executor/dataflow/frame_executor.h"
#include "src/executor/dataflow/loop_program_runner.h"

namespace dfrun {

template <bool kShared>
class DataflowLoop : private NodeRunner<kShared> {
  using Base = NodeRunner<kShared>;
  using typename Base::Ran;

 public:
  DataflowLoop(StepState& step, StepWorker& self)
      : Base(step), queue_(self.frame_queue), delivery_(plan_, queue_), frames_(step, queue_) {
    BindTo(step.frames().root());
  }

  static void PushRoots(StepState& step) {
    Iteration& root = step.frames().root();
    for (uint32_t i = 0; i < root.plan->num_roots; ++i) step.first().frame_queue.Push({&root, i, false});
    root.outstanding = static_cast<int32_t>(root.plan->num_roots);
  }
  static uint32_t NumReady(const StepWorker& self) { return self.frame_queue.size(); }

  // Queues the nodes that the end of an asynchronous node made ready. The node's count in the step has become this
  // worker's.
  void Absorb(AsyncOp& op) {
    Status status = std::exchange(op.status, Status());
    if (!status.ok()) this->Fail(op.node, status);
    if (step_.failed()) return;
    // Another thread may begin the op anew, in another iteration, as soon as its readers are known.
    const uint32_t node = op.node;
    Iteration& iteration = *op.iteration;
    BindTo(iteration);
    ReleaseInputs(node, records_[node]);
    const DeadOutputs dead = ExecutorAccess::OutputsDead(op.context) ? kAllDead : kAllLive;
    Succeeded(node, frames_.Done(iteration, delivery_.Deliver(iteration, records_[node], dead)));
  }

  RunOutcome Run() {
    if (step_.failed()) return Drop();
    while (!queue_.empty()) {
      const FrameEntry entry = queue_.Pop();
      const uint32_t node = entry.iteration().first_node + entry.node();
      bool give = false;
      if ((records_[node].flags & kNodeExpensive) != 0 && !entry.is_dead()) {
        this->PollIfDue();
        give = !queue_.empty() && this->WorthGivingBefore(node);
        if (!kShared && (give || !step_.inbox_empty())) {
          queue_.Unpop();
          return give ? RunOutcome::kShareAtNode : RunOutcome::kInbox;
        }
        if (give) GiveAllBefore(node);
      }
      const bool ran = RunEntry(entry, node);
      if (give) this->ReleaseGiven();
      if (!ran) return Drop();
      if (++popped_ >= this->next_look_) [[unlikely]] {
        if (has_loops_ && popped_ - polled_ >= kPollAfterNodes) {
          polled_ = popped_;
          this->pool_.Poll();
          if (step_.failed()) return Drop();
          if (!kShared && !step_.inbox_empty()) return RunOutcome::kInbox;
        }
        if (!this->WorthGiving(popped_, queue_.size())) continue;
        if constexpr (!kShared) return RunOutcome::kShare;
        Give(queue_.size() / 2);
      }
    }
    return RunOutcome::kEmpty;
  }

  // Submits the later `count` ready nodes as a worker of their own. Only of a shared step.
  void Give(uint32_t count) { this->SubmitGiven(Given(count)); }

 private:
  using Base::inputs_;
  using Base::plan_;
  using Base::records_;
  using Base::slots_;
  using Base::step_;
  using Base::Succeeded;

  // The news that a finished node delivers to the nodes that wait for it.
  struct Propagated {
    Iteration* iteration;  // the one that the node's outputs belong to; null: nothing is delivered
    DeadOutputs dead;
  };

  StepWorker& Given(uint32_t count) {
    StepWorker& other = step_.AcquireWorker();
    queue_.Give(count, other.frame_queue);
    return other;
  }
  // Gives all ready nodes away before an expensive one, like RunLoop::GiveAllBefore.
  void GiveAllBefore(uint32_t node) {
    const auto is_async = [&](FrameEntry ready) {
      return (records_[ready.iteration().first_node + ready.node()].flags & kNodeAsync) != 0;
    };
    StepWorker& other = Given(queue_.size());
    this->SubmitGivenBefore(node, other, other.frame_queue.Any(is_async));
  }

  void BindTo(Iteration& iteration) {
    ExecutorAccess::SetIteration(this->context_, iteration.id);  // the id changes when the iteration is used again
    if (bound_ == &iteration) return;
    bound_ = &iteration;
    this->Bind(*iteration.values);
  }

  // Returns false where the step has failed.
  [[gnu::always_inline]] bool RunEntry(FrameEntry entry, uint32_t node) {
    Iteration& iteration = entry.iteration();
    BindTo(iteration);
    const NodeRecord& record = records_[node];
    if (iteration.program != nullptr) return Succeeded(node, RunLoopProgram(iteration));
    const bool is_dead =
        entry.is_dead() || (iteration.has_dead_constants && ReadsDeadConstant(iteration, entry.node(), node));
    Propagated told{&iteration, is_dead ? kAllDead : kAllLive};
    if (is_dead && (record.flags & kNodeRunsDead) == 0) {
      if (!Succeeded(node, RunDead(iteration, node, record, told))) return false;
    } else if ((record.flags & kNodeControlFlow) != 0) {
      if ((record.flags & kNodeYieldsToPredicate) != 0 && Yields(entry)) return true;
      if (!Succeeded(node, RunControlFlow(entry, node, record, told))) return false;
    } else if (record.flags != 0) {
      if ((record.flags & kNodeYieldsToPredicate) != 0 && Yields(entry)) return true;
      const Ran ran = RunFlaggedNode(iteration, node, record, is_dead);
      if (ran == Ran::kStarted) return true;
      if (ran == Ran::kFailed) return false;
    } else if (record.fn != nullptr) {
      if (!this->Call(this->CallOf(node, record), 0)) return false;
    }
    return Succeeded(node, Tell(iteration, record, told));
  }

  [[gnu::always_inline]] Status Tell(Iteration& iteration, const NodeRecord& record, Propagated told) {
    int32_t ready = 0;
    if (told.iteration != nullptr) ready = delivery_.Deliver(*told.iteration, record, told.dead);
    if (told.iteration != &iteration && told.iteration != nullptr) {
      AddTo<kShared>(told.iteration->outstanding, std::exchange(ready, 0));
    }
    return frames_.Done(iteration, ready);
  }

  [[gnu::noinline]] Ran RunFlaggedNode(Iteration& iteration, uint32_t node, const NodeRecord& record, bool is_dead) {
    AsyncOp* op = nullptr;
    if ((record.flags & kNodeAsync) != 0) {
      op = &iteration.ops[plan_.detail(node).index];
      ExecutorAccess::SetDead(op->context, is_dead);
    }
    return this->RunFlagged(node, record, op);
  }

  // The Send of a predicate yields to the nodes that the predicate enables, such as a Switch and the Send behind it:
  // other devices need the predicate only by their next iteration, and wait for those values now. A NextIteration whose
  // value tells that the loop goes on yields likewise to the nodes that compute from that value.
  bool Yields(FrameEntry entry) {
    if (entry.has_yielded() || queue_.empty()) return false;
    queue_.Push(entry.Yielded());
    return true;
  }

  bool ReadsDeadConstant(Iteration& iteration, uint32_t number, uint32_t node) const {
    return plan_.detail(node).control_flow != ControlFlowKind::kMerge &&
           LoadCount<kShared>(iteration.values->notes()[number]) != 0;
  }

  Status RunDead(Iteration& iteration, uint32_t node, const NodeRecord& record, Propagated& told) {
    if ((record.flags & kNodeRetval) != 0) {
      return InvalidArgument("it is fetched, but the branch that gives its value was not taken");
    }
    ReleaseInputs(node, record);
    switch (plan_.detail(node).control_flow) {
      case ControlFlowKind::kEnter:
        told.iteration = nullptr;
        return frames_.Enter(iteration, node, Tensor(), /*is_dead=*/true);
      case ControlFlowKind::kExit:  // dead for good only if no iteration leaves by it
        told.iteration = nullptr;
        return Status();
      case ControlFlowKind::kNextIteration:  // the loop does not go on by it
        told.iteration = frames_.NextOfDead(iteration, record);
        return Status();
      default:
        return Status();
    }
  }

  [[gnu::always_inline]] Status RunControlFlow(FrameEntry entry, uint32_t node, const NodeRecord& record,
                                               Propagated& told) {
    const uint32_t* const inputs = inputs_ + record.first_input;
    switch (plan_.detail(node).control_flow) {
      case ControlFlowKind::kSwitch: {
        const int live = ValueIn(slots_[inputs[1]]).template scalar<bool>() ? 1 : 0;
        told.dead = DeadOutputs{1} << (1 - live);
        if ((record.flags & kNodePredicateOnly) == 0) {
          DF_TRY(Forward(slots_[inputs[0]], node, true, slots_[record.first_output + live]));
        }
        ReleaseInputs(node, record);
        return Status();
      }
      case ControlFlowKind::kMerge:
        return RunMerge(LoadCount<kShared>(entry.iteration().values->notes()[entry.node()]) - 1, node, record);
      case ControlFlowKind::kNextIteration: {
        const Tensor& value = slots_[inputs[0]];
        DF_ASSIGN(told.iteration, frames_.Next(entry.iteration(), node, value));
        if (told.iteration != nullptr) {
          DF_TRY(Forward(value, node, false, told.iteration->values->slots()[record.first_output]));
        }
        ReleaseInputs(node, record);
        return Status();
      }
      default:
        return RunRareControlFlow(entry.iteration(), node, record, told);
    }
  }

  [[gnu::noinline]] Status RunRareControlFlow(Iteration& iteration, uint32_t node, const NodeRecord& record,
                                              Propagated& told) {
    const Tensor& slot = slots_[inputs_[record.first_input]];
    switch (plan_.detail(node).control_flow) {
      case ControlFlowKind::kEnter: {
        Tensor value = plan_.info(node).outputs[0].is_ref ? slot : ValueIn(slot);
        ReleaseInputs(node, record);
        told.iteration = nullptr;
        return frames_.Enter(iteration, node, std::move(value), /*is_dead=*/false);
      }
      case ControlFlowKind::kExit:
        DF_TRY(frames_.Leave(iteration, node, slot));
        told.iteration = nullptr;
        break;
      default:
        DF_TRY(Forward(slot, node, true, slots_[record.first_output]));
    }
    ReleaseInputs(node, record);
    return Status();
  }

  Status RunMerge(int32_t live, uint32_t node, const NodeRecord& record) {
    DF_TRY(Forward(slots_[inputs_[record.first_input + static_cast<uint32_t>(live)]], node, true,
                   slots_[record.first_output]));
    if (plan_.detail(node).index >= 0) DF_TRY(SetIndex(live, slots_[record.first_output + 1]));
    if ((record.flags & kNodeReleases) != 0) ReleaseLiveInput(node, live);
    return Status();
  }

  // A value to where the node hands it on, which has a place of the same shape, or not.
  Status Forward(const Tensor& from, uint32_t node, bool same_iteration, Tensor& to) {
    const uint32_t bytes = plan_.detail(node).copied_bytes;
    if (bytes == 0) return frames_.Forward(from, node, same_iteration, to);
    CopySmall(from.raw(), bytes, to.raw());
    return Status();
  }

  Status SetIndex(int32_t index, Tensor& slot) {
    if (!slot.borrowed()) {
      DF_ASSIGN(slot, Tensor::Allocate(plan_.device().host_allocator(), DType::kInt32, Shape()));
    }
    *slot.data<int32_t>() = index;
    return Status();
  }

  void ReleaseInputs(uint32_t node, const NodeRecord& record) {
    if ((record.flags & kNodeReleases) != 0) this->ReleaseSlots(node);
  }

  // The other inputs of a Merge may still be written by their sources; the end of the iteration releases them.
  void ReleaseLiveInput(uint32_t node, int32_t live) {
    for (const Release& release : plan_.releases(node)) {
      if (release.input != live) continue;
      if (release.counter < 0 || CountDown<kShared>(this->readers_[release.counter]) == 0) {
        slots_[release.slot].Reset();
      }
    }
  }

  // Runs a part of a loop program; the rest of it has its turn after the nodes that are ready now.
  [[gnu::noinline]] Status RunLoopProgram(Iteration& iteration) {
    const LoopProgramOutcome outcome = LoopProgramRunner<kShared>(step_, iteration).Run();
    popped_ += LoopProgramRunner<kShared>::kCallsAtOnce;
    if (outcome == LoopProgramOutcome::kFailed)
      return Error(Code::kCancelled, "the step has failed");  // with another error
    if (outcome == LoopProgramOutcome::kGoesOn) {
      queue_.Push({&iteration, 0, false});
      return Status();
    }
    for (const LoopExit& exit : iteration.program->exits) {
      if (Status s = frames_.Leave(iteration, exit.node, slots_[exit.from]); !s.ok())
        return AtNode(plan_, exit.node, s);
    }
    return frames_.Done(iteration, 0);
  }

  // Drops the ready nodes, since the step has failed.
  RunOutcome Drop() {
    queue_.Clear();
    return RunOutcome::kEmpty;
  }

  // A loop may run for long, or for ever, without a node that waits: an error elsewhere must end it all the same.
  static constexpr uint32_t kPollAfterNodes = 4096;

  FrameQueue& queue_;
  DataflowDelivery<kShared> delivery_;
  FrameExecutor<kShared> frames_;
  Iteration* bound_ = nullptr;
  const bool has_loops_ = plan_.frames().size() > 1;
  uint32_t popped_ = 0;
  uint32_t polled_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_DATAFLOW_DATAFLOW_LOOP_H_
