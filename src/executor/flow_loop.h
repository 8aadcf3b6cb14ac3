// The run loop of plans with conditionals and loops: a ready entry is a node in an iteration, alive or dead.
//
// A dead node does not run: it hands its deadness on to all that wait for it. A Switch does so for one of its outputs;
// a Merge stops it where another input is alive, a ControlTrigger always. What goes between iterations is done by the
// loop itself (RunFlow); frames and iterations are kept by Frames. A loop that has a straight form is one entry that is
// ready until the loop has ended. Source: white paper section 4.4; TensorFlow's executor for what a dead Enter means to
// a Merge.
#ifndef DFRUN_SRC_EXECUTOR_FLOW_LOOP_H_
#define DFRUN_SRC_EXECUTOR_FLOW_LOOP_H_

#include <utility>

#include "src/executor/frames.h"
#include "src/executor/hand_over.h"
#include "src/executor/straight_runner.h"

namespace dfrun {

template <bool kShared>
class FlowLoop : private NodeRunner<kShared> {
  using Base = NodeRunner<kShared>;
  using typename Base::Ran;

 public:
  FlowLoop(StepState& step, Activation& self)
      : Base(step), frames_(step.frames()), queue_(self.flow_queue), edges_(plan_.flow_edges()) {
    BindTo(frames_.root());
  }

  static void PushRoots(StepState& step) {
    Iteration& root = step.frames().root();
    for (uint32_t i = 0; i < root.plan->num_roots; ++i) step.first().flow_queue.Push({&root, i, false});
    root.outstanding = static_cast<int32_t>(root.plan->num_roots);
  }
  static uint32_t NumReady(const Activation& self) { return self.flow_queue.size(); }

  // Finds what the end of an asynchronous node made ready. Its count in the step has become this activation's.
  void Absorb(AsyncOp& op) {
    Status status = std::exchange(op.status, Status());
    if (!status.ok()) this->Fail(op.node, status);
    if (step_.failed()) return;
    // Once its readers are known, another thread may begin the op anew, in another iteration.
    const uint32_t node = op.node;
    Iteration& iteration = *op.iteration;
    BindTo(iteration);
    if ((records_[node].flags & kNodeReleases) != 0) this->ReleaseSlots(node);
    const uint64_t dead_outputs = ExecutorAccess::DeadOutputs(op.context);
    const auto num_outputs = this->infos_[node]->outputs.size();
    const bool is_dead = num_outputs > 0 && num_outputs < 64 && dead_outputs == (uint64_t{1} << num_outputs) - 1;
    Succeeded(node, Complete(iteration, records_[node], is_dead, dead_outputs));
  }

  RunOutcome Run() {
    if (step_.failed()) return Drop();
    while (!queue_.empty()) {
      const FlowEntry entry = queue_.Pop();
      const uint32_t node = entry.iteration->plan->first_node + entry.node;
      if ((records_[node].flags & kNodeExpensive) != 0 && !entry.is_dead) {
        this->PollIfDue();
        const bool give = !queue_.empty() && this->WorthGivingBefore(node);
        if (!kShared && (give || !step_.inbox_empty())) {
          queue_.Unpop();
          return give ? RunOutcome::kShare : RunOutcome::kInbox;
        }
        if (give) Give(queue_.size());
      }
      if (!RunEntry(entry, node)) return Drop();
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

  // Submits the later `count` ready nodes as an activation of their own. Only of a shared step.
  void Give(uint32_t count) {
    Activation& other = step_.AcquireActivation();
    queue_.Give(count, other.flow_queue);
    this->SubmitGiven(other);
  }

 private:
  using Base::inputs_;
  using Base::plan_;
  using Base::records_;
  using Base::slots_;
  using Base::step_;

  static int32_t Add(int32_t& count, int32_t delta) {
    if constexpr (kShared) return std::atomic_ref<int32_t>(count).fetch_add(delta, std::memory_order_acq_rel) + delta;
    return count += delta;
  }
  static int32_t Load(int32_t& count) {
    if constexpr (kShared) return std::atomic_ref<int32_t>(count).load(std::memory_order_acquire);
    return count;
  }
  static void Store(int32_t& note, int32_t value) {
    if constexpr (kShared) {
      std::atomic_ref<int32_t>(note).store(value, std::memory_order_relaxed);
    } else {
      note = value;
    }
  }
  void BindTo(Iteration& iteration) {
    ExecutorAccess::SetIteration(this->context_, iteration.id);  // which changes when the iteration is used again
    if (bound_ == &iteration) return;
    bound_ = &iteration;
    this->Bind(*iteration.values);
  }

  // False where the step has failed.
  bool RunEntry(const FlowEntry& entry, uint32_t node) {
    Iteration& iteration = *entry.iteration;
    BindTo(iteration);
    if (iteration.straight != nullptr) return Succeeded(node, RunStraight(iteration));
    const NodeRecord& record = records_[node];
    const bool is_dead =
        entry.is_dead || (iteration.has_dead_constants && ReadsDeadConstant(iteration, entry.node, node));
    if (is_dead && (record.flags & kNodeRunsDead) == 0) return Succeeded(node, RunDead(iteration, node, record));
    if ((record.flags & kNodeFlow) != 0) return Succeeded(node, RunFlow(iteration, entry.node, node, record));
    if (record.flags != 0) {
      if ((record.flags & kNodeYields) != 0 && Yields(entry)) return true;
      AsyncOp* op = nullptr;
      if ((record.flags & kNodeAsync) != 0) {
        op = &iteration.ops[plan_.detail(node).index];
        ExecutorAccess::SetDead(op->context, is_dead);
      }
      const Ran ran = this->RunFlagged(node, record, op);
      if (ran == Ran::kStarted) return true;
      if (ran == Ran::kFailed) return false;
    } else if (record.fn != nullptr) {
      if (!this->Call(node, record, 0)) return false;
    }
    return Succeeded(node, Complete(iteration, record, is_dead, 0));
  }

  // A predicate's Send lets pass what the predicate sets going: a value that goes through a Switch, and its Send, which
  // other devices wait for while they have the predicate of this iteration no sooner than the next needs it.
  bool Yields(const FlowEntry& entry) {
    if (entry.yields == kMostYields || queue_.empty()) return false;
    queue_.Push({entry.iteration, entry.node, entry.is_dead, static_cast<uint8_t>(entry.yields + 1)});
    return true;
  }

  bool Succeeded(uint32_t node, const Status& status) {
    if (status.ok()) [[likely]]
      return true;
    this->Fail(node, status);
    return false;
  }

  bool ReadsDeadConstant(Iteration& iteration, uint32_t number, uint32_t node) const {
    return plan_.detail(node).flow != ControlFlowKind::kMerge && Load(iteration.values->notes()[number]) != 0;
  }

  Status RunDead(Iteration& iteration, uint32_t node, const NodeRecord& record) {
    if ((record.flags & kNodeRetval) != 0) {
      return InvalidArgument("it is fetched, but the branch that gives its value was not taken");
    }
    if ((record.flags & kNodeReleases) != 0) this->ReleaseSlots(node);
    switch (plan_.detail(node).flow) {
      case ControlFlowKind::kEnter:
        return Enter(iteration, node, Tensor(), /*is_dead=*/true);
      case ControlFlowKind::kExit:           // dead for good only if no iteration leaves by it
      case ControlFlowKind::kNextIteration:  // the loop does not go on by it
        return Done(iteration, 0);
      default:
        return Complete(iteration, record, /*is_dead=*/true, 0);
    }
  }

  Status RunFlow(Iteration& iteration, uint32_t number, uint32_t node, const NodeRecord& record) {
    const uint32_t* const inputs = inputs_ + record.first_input;
    const NodeInfo& info = plan_.info(node);
    switch (plan_.detail(node).flow) {
      case ControlFlowKind::kSwitch: {
        const int live = ValueIn(slots_[inputs[1]]).template scalar<bool>() ? 1 : 0;
        if ((record.flags & kNodeSteers) == 0) {
          DF_TRY(HandHere(slots_[inputs[0]], node, live, slots_[record.first_output + live]));
        }
        ReleaseInputs(node, record);
        return Complete(iteration, record, false, uint64_t{1} << (1 - live));
      }
      case ControlFlowKind::kMerge: {
        const int32_t live = Load(iteration.values->notes()[number]) - 1;
        DF_TRY(HandHere(slots_[inputs[live]], node, 0, slots_[record.first_output]));
        DF_TRY(SetIndex(live, slots_[record.first_output + 1]));
        ReleaseLiveInput(node, live);
        return Complete(iteration, record, false, 0);
      }
      case ControlFlowKind::kEnter: {
        Tensor value = info.outputs[0].is_ref ? slots_[inputs[0]] : ValueIn(slots_[inputs[0]]);
        ReleaseInputs(node, record);
        return Enter(iteration, node, std::move(value), /*is_dead=*/false);
      }
      case ControlFlowKind::kExit:
        DF_TRY(Exit(iteration, node, record));
        return Done(iteration, 0);
      case ControlFlowKind::kNextIteration:
        DF_TRY(GoOn(iteration, node, record));
        return Done(iteration, 0);
      default:
        DF_TRY(HandHere(slots_[inputs[0]], node, 0, slots_[record.first_output]));
        ReleaseInputs(node, record);
        return Complete(iteration, record, false, 0);
    }
  }

  // From a slot of the bound iteration to an output of the node, in the same iteration.
  Status HandHere(const Tensor& from, uint32_t node, int output, Tensor& to) {
    if (const uint32_t bytes = plan_.detail(node).copied_bytes; bytes > 0) {
      CopySmall(from.raw(), bytes, to.raw());
      return Status();
    }
    return Hand(from, plan_.info(node).outputs[output], true, to);
  }

  Status Hand(const Tensor& from, const TypedArg& type, bool same_iteration, Tensor& to) {
    return HandOver(from, type, same_iteration, plan_.device().allocator(), to);
  }

  Status SetIndex(int32_t index, Tensor& slot) {
    if (!slot.borrowed()) {
      DF_ASSIGN(slot, Tensor::Allocate(plan_.device().allocator(), DType::kInt32, Shape()));
    }
    *slot.data<int32_t>() = index;
    return Status();
  }

  void ReleaseInputs(uint32_t node, const NodeRecord& record) {
    if ((record.flags & kNodeReleases) != 0) this->ReleaseSlots(node);
  }

  // The other inputs of a Merge may still be written by what gives them: they go with the iteration.
  void ReleaseLiveInput(uint32_t node, int32_t live) {
    for (const Release& release : plan_.releases(node)) {
      if (release.input != live) continue;
      if (release.counter < 0 || CountDown<kShared>(this->readers_[release.counter]) == 0) {
        slots_[release.slot].Reset();
      }
    }
  }

  // An Enter that stands in `outer`. The frame's last one begins iteration 0.
  Status Enter(Iteration& outer, uint32_t node, Tensor value, bool is_dead) {
    const EnterPlan& enter = plan_.enter(plan_.detail(node).index);
    FrameRun* frame = nullptr;
    {
      FrameLock lock(frames_.mu(), kShared);
      frame = &frames_.Find(outer, enter.frame);
      if (frame->entered.empty()) Add(outer.outstanding, 1);
      frame->entered.push_back({&records_[node], std::move(value), enter.is_constant, is_dead});
      if (static_cast<int32_t>(frame->entered.size()) == frame->plan->num_enters) DF_TRY(BeginFrame(*frame));
    }
    DF_TRY(EndIterations(*frame));  // of a loop in which nothing waits for what enters
    return Done(outer, 0);
  }

  Status BeginFrame(FrameRun& frame) REQUIRES(frames_.mu()) {
    frame.has_begun = true;
    if (StraightRunner<kShared>::MayRun(frame, this->pool_)) return BeginStraight(frame);
    DF_ASSIGN(Iteration* const first, Begin(frame));
    int32_t ready = 0;
    for (FrameRun::Entered& entered : frame.entered) {
      if (entered.is_constant) continue;
      if (!entered.is_dead) {
        const TypedArg& type = plan_.info(NumberOf(*entered.enter)).outputs[0];
        DF_TRY(Hand(entered.value, type, true, first->values->slots()[entered.enter->first_output]));
        entered.value.Reset();
      }
      ready += Deliver(*first, *entered.enter, entered.is_dead, 0);
    }
    Add(first->outstanding, ready);
    return Status();
  }

  // One iteration stands for all, and one entry of the queue for it.
  Status BeginStraight(FrameRun& frame) REQUIRES(frames_.mu()) {
    DF_ASSIGN(Iteration* const all, frames_.Begin(frame));
    all->straight = frame.plan->straight.get();
    for (FrameRun::Entered& entered : frame.entered) {
      if (entered.is_constant) continue;
      Tensor& home = all->values->slots()[all->straight->homes[entered.enter->first_output]];
      DF_TRY(Hand(entered.value, plan_.info(NumberOf(*entered.enter)).outputs[0], true, home));
      entered.value.Reset();
    }
    queue_.Push({all, 0, false});
    Add(all->outstanding, 1);
    return Status();
  }

  // A part of a straight loop; the rest of it has its turn after what is ready now.
  Status RunStraight(Iteration& iteration) {
    const StraightOutcome outcome = StraightRunner<kShared>(step_, iteration).Run();
    popped_ += StraightRunner<kShared>::kCallsAtOnce;
    if (outcome == StraightOutcome::kFailed)
      return Error(Code::kCancelled, "the step has failed");  // with another error
    if (outcome == StraightOutcome::kGoesOn) {
      queue_.Push({&iteration, 0, false});
      return Status();
    }
    for (const StraightExit& exit : iteration.straight->exits) {
      if (Status s = Leave(iteration, exit.node, slots_[exit.from]); !s.ok()) return AtNode(plan_, exit.node, s);
    }
    return Done(iteration, 0);
  }

  // The next iteration of a frame, its roots ready. The lock is held.
  Result<Iteration*> Begin(FrameRun& frame) REQUIRES(frames_.mu()) {
    DF_ASSIGN(Iteration* const begun, frames_.Begin(frame));
    if (begun->has_dead_constants) MarkReadersOfDeadConstants(*begun);
    for (uint32_t i = 0; i < begun->plan->num_roots; ++i) queue_.Push({begun, i, false});
    Add(begun->outstanding, static_cast<int32_t>(begun->plan->num_roots));
    return begun;
  }

  void MarkReadersOfDeadConstants(Iteration& iteration) {
    for (const FrameRun::Entered& entered : iteration.frame->entered) {
      if (!entered.is_constant || !entered.is_dead) continue;
      for (const FlowEdge* edge = FirstEdge(*entered.enter); edge != EndEdge(*entered.enter); ++edge) {
        Store(iteration.values->notes()[edge->node()], 1);
      }
    }
  }

  // A live Exit: its value leaves the frame.
  Status Exit(Iteration& iteration, uint32_t node, const NodeRecord& record) {
    DF_TRY(Leave(iteration, node, slots_[inputs_[record.first_input]]));
    ReleaseInputs(node, record);
    return Status();
  }

  Status Leave(Iteration& iteration, uint32_t exit, const Tensor& value) {
    FrameRun& frame = *iteration.frame;
    Iteration& outer = *frame.outer;
    const NodeRecord& record = records_[exit];
    frame.exited[plan_.detail(exit).index] = 1;
    DF_TRY(Hand(value, plan_.info(exit).outputs[0], false, outer.values->slots()[record.first_output]));
    Add(outer.outstanding, Deliver(outer, record, false, 0));
    return Status();
  }

  // A live NextIteration.
  Status GoOn(Iteration& iteration, uint32_t node, const NodeRecord& record) {
    const Tensor& value = slots_[inputs_[record.first_input]];
    const TypedArg& type = plan_.info(node).outputs[0];
    Iteration* next = iteration.next.load(std::memory_order_acquire);
    if (next == nullptr) {
      FrameLock lock(frames_.mu(), kShared);
      FrameRun& frame = *iteration.frame;
      next = iteration.next.load(std::memory_order_relaxed);
      if (next == nullptr && frame.num_running >= frame.plan->parallel_iterations) {
        frame.waiting.push_back({&record, Tensor()});
        DF_TRY(Hand(value, type, false, frame.waiting.back().value));
        ReleaseInputs(node, record);
        return Status();
      }
      if (next == nullptr) {
        DF_ASSIGN(next, Begin(frame));
      }
    }
    Tensor& to = next->values->slots()[record.first_output];
    if (const uint32_t bytes = plan_.detail(node).copied_bytes; bytes > 0) {
      CopySmall(value.raw(), bytes, to.raw());
    } else {
      DF_TRY(Hand(value, type, false, to));
    }
    ReleaseInputs(node, record);
    Add(next->outstanding, Deliver(*next, record, false, 0));
    return Status();
  }

  // The values that waited for a further iteration go there.
  Status BeginWaiting(FrameRun& frame) REQUIRES(frames_.mu()) {
    DF_ASSIGN(Iteration* const next, Begin(frame));
    int32_t ready = 0;
    for (FrameRun::Waiting& waiting : frame.waiting) {
      const NodeRecord& record = *waiting.next_iteration;
      const TypedArg& type = plan_.info(NumberOf(record)).outputs[0];
      DF_TRY(Hand(waiting.value, type, true, next->values->slots()[record.first_output]));
      ready += Deliver(*next, record, false, 0);
    }
    frame.waiting.clear();
    Add(next->outstanding, ready);
    return Status();
  }

  uint32_t NumberOf(const NodeRecord& record) const { return static_cast<uint32_t>(&record - records_); }
  const FlowEdge* FirstEdge(const NodeRecord& record) const { return edges_ + record.first_edge; }
  const FlowEdge* EndEdge(const NodeRecord& record) const { return edges_ + (&record + 1)->first_edge; }

  // A node of the iteration has run, or was dead.
  Status Complete(Iteration& iteration, const NodeRecord& record, bool is_dead, uint64_t dead_outputs) {
    return Done(iteration, Deliver(iteration, record, is_dead, dead_outputs));
  }

  // One node of the iteration is done, and `ready` more are ready.
  Status Done(Iteration& iteration, int32_t ready) {
    if (Add(iteration.outstanding, ready - 1) > 0 || iteration.frame == nullptr) return Status();
    return EndIterations(*iteration.frame);
  }

  // Ends what has come to its end: iterations of the frame, the frame, then the iteration that it stood in, and so on.
  Status EndIterations(FrameRun& begin_with) {
    FrameLock lock(frames_.mu(), kShared);
    for (FrameRun* frame = &begin_with;;) {
      if (!frame->has_begun) return Status();
      while (frame->oldest != nullptr && Load(frame->oldest->outstanding) == 0) {
        frames_.RetireOldest(*frame);
        if (!frame->waiting.empty()) DF_TRY(BeginWaiting(*frame));
      }
      if (frame->oldest != nullptr) return Status();
      Iteration& outer = *frame->outer;
      int32_t ready = 0;
      for (size_t i = 0; i < frame->exited.size(); ++i) {
        const NodeRecord& exit = records_[frame->plan->first_node + frame->plan->exits[i]];
        if (frame->exited[i] == 0) ready += Deliver(outer, exit, /*is_dead=*/true, 0);
      }
      frames_.Retire(*frame);
      if (Add(outer.outstanding, ready - 1) > 0 || outer.frame == nullptr) return Status();
      frame = outer.frame;
    }
  }

  // Tells those who wait for a node's outputs, which belong to `iteration`; how many became ready.
  int32_t Deliver(Iteration& iteration, const NodeRecord& record, bool is_dead, uint64_t dead_outputs) {
    int32_t* const pending = iteration.values->pending();
    int32_t* const notes = iteration.values->notes();
    const uint32_t size_before = queue_.size();
    for (const FlowEdge *edge = FirstEdge(record), *end = EndEdge(record); edge != end; ++edge) {
      const uint32_t node = edge->node();
      const bool dead = is_dead || (edge->port() < 64 && (dead_outputs >> edge->port() & 1) != 0);
      switch (edge->kind()) {
        case FlowEdge::Kind::kOnly:
          queue_.Push({&iteration, node, dead});
          break;
        case FlowEdge::Kind::kOnlyLive:
          if (!dead) queue_.Push({&iteration, node, false});
          break;
        case FlowEdge::Kind::kCounted:
          if (dead) Store(notes[node], 1);
          if (CountDown<kShared>(pending[node]) == 0) queue_.Push({&iteration, node, Load(notes[node]) != 0});
          break;
        case FlowEdge::Kind::kTrigger:
          if (CountDown<kShared>(pending[node]) == 0) queue_.Push({&iteration, node, false});
          break;
        case FlowEdge::Kind::kMergeControl: {
          const int32_t count = Add(pending[node], -MergeCount::kControlInput);
          if (MergeCount::IsLive(count) || MergeCount::IsDead(count)) {
            queue_.Push({&iteration, node, MergeCount::IsDead(count)});
          }
          break;
        }
        case FlowEdge::Kind::kMergeData:
          if (dead) {
            if (MergeCount::IsDead(Add(pending[node], -MergeCount::kDataInput))) {
              queue_.Push({&iteration, node, true});
            }
          } else if (IsFirst(notes[node], edge->input())) {
            if (MergeCount::IsLive(Add(pending[node], -MergeCount::kNoLiveInput))) {
              queue_.Push({&iteration, node, false});
            }
          }
          break;
      }
    }
    return static_cast<int32_t>(queue_.size() - size_before);
  }

  // Notes which input of a Merge came alive; false where another has before.
  static bool IsFirst(int32_t& note, uint16_t input) {
    const int32_t mine = 1 + input;
    if constexpr (kShared) {
      int32_t none = 0;
      return std::atomic_ref<int32_t>(note).compare_exchange_strong(none, mine, std::memory_order_acq_rel);
    }
    if (note != 0) return false;
    note = mine;
    return true;
  }

  // The step has failed: what is ready stays undone.
  RunOutcome Drop() {
    queue_.Clear();
    return RunOutcome::kEmpty;
  }

  // A loop may run for long, or for ever, without a node that waits: an error elsewhere must end it all the same.
  static constexpr uint32_t kPollAfterNodes = 4096;
  static constexpr uint8_t kMostYields = 2;  // once for the Switch, once for the Send behind it

  Frames& frames_;
  FlowQueue& queue_;
  const FlowEdge* const edges_;
  Iteration* bound_ = nullptr;
  const bool has_loops_ = plan_.frames().size() > 1;
  uint32_t popped_ = 0;
  uint32_t polled_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_FLOW_LOOP_H_
