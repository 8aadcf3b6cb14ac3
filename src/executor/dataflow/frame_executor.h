// Runs the frames of loops: values enter a loop, pass from iteration to iteration and leave it; iterations and frames
// end here.
#ifndef DFRUN_SRC_EXECUTOR_DATAFLOW_FRAME_EXECUTOR_H_
#define DFRUN_SRC_EXECUTOR_DATAFLOW_FRAME_EXECUTOR_H_

#include <utility>

#include "src/executor/dataflow/dataflow_delivery.h"
#include "src/executor/dataflow/loop_program_runner.h"
#include "src/executor/step/forward_value.h"

namespace dfrun {

// Runs the frames of a step on one thread.
// Thread safety: as Frames.
template <bool kShared>
class FrameExecutor {
 public:
  FrameExecutor(StepState& step, FrameQueue& queue)
      : step_(step),
        plan_(step.plan()),
        records_(plan_.records()),
        frames_(step.frames()),
        queue_(queue),
        delivery_(plan_, queue) {}

  // Takes the value that an Enter in `outer` brings into its frame. The frame's last Enter begins iteration 0.
  [[gnu::noinline]] Status Enter(Iteration& outer, uint32_t node, Tensor value, bool is_dead) {
    const EnterPlan& enter = plan_.enter(plan_.detail(node).index);
    FrameRun* frame = nullptr;
    {
      FrameLock lock(frames_.mu(), kShared);
      frame = &frames_.Find(outer, enter.frame);
      if (frame->entered.empty()) AddTo<kShared>(outer.outstanding, 1);
      frame->entered.push_back({&records_[node], std::move(value), enter.is_constant, is_dead});
      if (static_cast<int32_t>(frame->entered.size()) == frame->plan->num_enters) DF_TRY(BeginFrame(*frame));
    }
    return EndIterations(*frame);  // nothing in the loop may wait for this value
  }

  // A live value leaves its frame by an Exit.
  [[gnu::noinline]] Status Leave(Iteration& iteration, uint32_t exit, const Tensor& value) {
    FrameRun& frame = *iteration.frame;
    Iteration& outer = *frame.outer;
    const NodeRecord& record = records_[exit];
    if (std::exchange(frame.exited[plan_.detail(exit).index], 1) != 0) {
      return InvalidArgument("a second iteration leaves the loop '", frame.plan->name,
                             "' by it; its input must be what the loop's condition lets out");
    }
    DF_TRY(Forward(value, exit, false, outer.values->slots()[record.first_output]));
    AddTo<kShared>(outer.outstanding, delivery_.Deliver(outer, record, kAllLive));
    return Status();
  }

  // The iteration after this one, begun if it was not, for a live value of a NextIteration; null where as many are
  // under way as may be: then the value waits.
  Result<Iteration*> Next(Iteration& iteration, uint32_t node, const Tensor& value) {
    if (Iteration* const next = iteration.next.load(std::memory_order_acquire); next != nullptr) return next;
    return BeginNext(iteration, node, value);
  }

  // The iteration after this one, for a dead value of a NextIteration; null where none has begun: should one, it will
  // be dead there.
  [[gnu::noinline]] Iteration* NextOfDead(Iteration& iteration, const NodeRecord& record) {
    FrameLock lock(frames_.mu(), kShared);
    Iteration* const next = iteration.next.load(std::memory_order_relaxed);
    if (next == nullptr) iteration.frame->dead_ends.push_back(&record);
    return next;
  }

  // `ready` more nodes of the iteration are ready, and one is done.
  [[gnu::always_inline]] Status Done(Iteration& iteration, int32_t ready) {
    if (AddTo<kShared>(iteration.outstanding, ready - 1) > 0 || iteration.frame == nullptr) return Status();
    return EndIterations(*iteration.frame);
  }

  // A value that the node hands on into a slot of the same iteration or of another.
  Status Forward(const Tensor& from, uint32_t node, bool same_iteration, Tensor& to) const {
    return ForwardValue(from, plan_.info(node).outputs[0], same_iteration, plan_.device(), to);
  }

 private:
  Status BeginFrame(FrameRun& frame) REQUIRES(frames_.mu()) {
    if (LoopProgramRunner<kShared>::MayRun(frame, step_.pool())) return BeginLoopProgram(frame);
    DF_ASSIGN(Iteration* const first, Begin(frame));
    frame.has_begun = true;
    int32_t ready = 0;
    for (FrameRun::Entered& entered : frame.entered) {
      if (entered.is_constant) continue;
      if (!entered.is_dead) {
        Tensor& to = first->values->slots()[entered.enter->first_output];
        DF_TRY(Forward(entered.value, NumberOf(*entered.enter), true, to));
        entered.value.Reset();
      }
      ready += delivery_.Deliver(*first, *entered.enter, entered.is_dead ? kAllDead : kAllLive);
    }
    AddTo<kShared>(first->outstanding, ready);
    return Status();
  }

  // Begins a loop program: one iteration stands for all, and one entry of the queue for it.
  Status BeginLoopProgram(FrameRun& frame) REQUIRES(frames_.mu()) {
    DF_ASSIGN(Iteration* const all, frames_.Begin(frame));
    frame.has_begun = true;
    all->program = frame.plan->program.get();
    for (FrameRun::Entered& entered : frame.entered) {
      if (entered.is_constant) continue;
      for (const LoopEntry& entry : all->program->EntriesOf(entered.enter->first_output)) {
        DF_TRY(Forward(entered.value, NumberOf(*entered.enter), true, all->values->slots()[entry.home]));
      }
      entered.value.Reset();
    }
    queue_.Push({all, 0, false});
    AddTo<kShared>(all->outstanding, 1);
    return Status();
  }

  // The next iteration of a frame, its roots ready.
  Result<Iteration*> Begin(FrameRun& frame) REQUIRES(frames_.mu()) {
    DF_ASSIGN(Iteration* const begun, frames_.Begin(frame));
    if (begun->has_dead_constants) MarkReadersOfDeadConstants(*begun);
    for (uint32_t i = 0; i < begun->plan->num_roots; ++i) queue_.Push({begun, i, false});
    AddTo<kShared>(begun->outstanding, static_cast<int32_t>(begun->plan->num_roots));
    if (!frame.dead_ends.empty()) DeliverDeadEnds(frame, *begun);
    return begun;
  }

  [[gnu::noinline]] void DeliverDeadEnds(FrameRun& frame, Iteration& begun) {
    int32_t ready = 0;
    for (const NodeRecord* end : frame.dead_ends) ready += delivery_.Deliver(begun, *end, kAllDead);
    frame.dead_ends.clear();
    AddTo<kShared>(begun.outstanding, ready);
  }

  void MarkReadersOfDeadConstants(Iteration& iteration) {
    for (const FrameRun::Entered& entered : iteration.frame->entered) {
      if (!entered.is_constant || !entered.is_dead) continue;
      for (const DataflowEdge* edge = delivery_.Begin(*entered.enter); edge != delivery_.End(*entered.enter); ++edge) {
        StoreNote<kShared>(iteration.values->notes()[edge->node()], 1);
      }
    }
  }

  [[gnu::noinline]] Result<Iteration*> BeginNext(Iteration& iteration, uint32_t node, const Tensor& value) {
    FrameLock lock(frames_.mu(), kShared);
    FrameRun& frame = *iteration.frame;
    if (Iteration* const next = iteration.next.load(std::memory_order_relaxed); next != nullptr) return next;
    if (frame.num_running < frame.plan->parallel_iterations) return Begin(frame);
    frame.waiting.push_back({&records_[node], Tensor()});
    DF_TRY(Forward(value, node, false, frame.waiting.back().value));
    return nullptr;
  }

  // The values that waited for a further iteration go there.
  Status BeginWaiting(FrameRun& frame) REQUIRES(frames_.mu()) {
    DF_ASSIGN(Iteration* const next, Begin(frame));
    int32_t ready = 0;
    for (FrameRun::Waiting& waiting : frame.waiting) {
      const NodeRecord& record = *waiting.next_iteration;
      DF_TRY(Forward(waiting.value, NumberOf(record), true, next->values->slots()[record.first_output]));
      ready += delivery_.Deliver(*next, record, kAllLive);
    }
    frame.waiting.clear();
    AddTo<kShared>(next->outstanding, ready);
    return Status();
  }

  // Ends the iterations of the frame that are complete, then the frame, then the iteration that it stood in, and so on.
  [[gnu::noinline]] Status EndIterations(FrameRun& begin_with) {
    FrameLock lock(frames_.mu(), kShared);
    for (FrameRun* frame = &begin_with;;) {
      if (!frame->has_begun) return Status();
      while (frame->oldest != nullptr && LoadCount<kShared>(frame->oldest->outstanding) == 0) {
        frames_.RetireOldest(*frame);
        if (!frame->waiting.empty()) DF_TRY(BeginWaiting(*frame));
      }
      if (frame->oldest != nullptr) return Status();
      Iteration& outer = *frame->outer;
      const int32_t ready = DeliverDeadExits(*frame);
      frames_.Retire(*frame);
      if (AddTo<kShared>(outer.outstanding, ready - 1) > 0 || outer.frame == nullptr) return Status();
      frame = outer.frame;
    }
  }

  // An Exit is dead for good only if no iteration leaves by it.
  int32_t DeliverDeadExits(FrameRun& frame) {
    int32_t ready = 0;
    for (size_t i = 0; i < frame.exited.size(); ++i) {
      const NodeRecord& exit = records_[frame.plan->first_node + frame.plan->exits[i]];
      if (frame.exited[i] == 0) ready += delivery_.Deliver(*frame.outer, exit, kAllDead);
    }
    return ready;
  }

  uint32_t NumberOf(const NodeRecord& record) const { return static_cast<uint32_t>(&record - records_); }

  StepState& step_;
  const ExecPlan& plan_;
  const NodeRecord* const records_;
  Frames& frames_;
  FrameQueue& queue_;
  DataflowDelivery<kShared> delivery_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_DATAFLOW_FRAME_EXECUTOR_H_
