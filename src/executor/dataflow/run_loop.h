// The run loop of plans without control flow: a node is ready when all its inputs are there.
//
// A template over whether other threads work on the step (kShared), so that counting costs nothing where they do not.
#ifndef DFRUN_SRC_EXECUTOR_DATAFLOW_RUN_LOOP_H_
#define DFRUN_SRC_EXECUTOR_DATAFLOW_RUN_LOOP_H_

#include <utility>

#include "src/executor/dataflow/node_runner.h"

namespace dfrun {

// Runs a step on one thread: the nodes of a worker's queue until it is empty.
template <bool kShared>
class RunLoop : private NodeRunner<kShared> {
  using Base = NodeRunner<kShared>;
  using typename Base::Ran;

 public:
  RunLoop(StepState& step, StepWorker& self)
      : Base(step), queue_(self.queue), edges_(plan_.edges()), pending_(step.values().pending()) {}

  static void PushRoots(StepState& step) { step.first().queue.PushRoots(step.plan().root().num_roots); }
  static uint32_t NumReady(const StepWorker& self) { return self.queue.size(); }

  // Queues the nodes that the end of an asynchronous node made ready. The node's count in the step has become this
  // worker's.
  void Absorb(AsyncOp& op) {
    Status status = std::exchange(op.status, Status());
    if (!status.ok()) this->Fail(op.node, status);
    if (step_.failed()) return;
    const NodeRecord& record = records_[op.node];
    if ((record.flags & kNodeReleases) != 0) this->ReleaseSlots(op.node);
    ReadyQueue::Cursor ready(queue_);
    Propagate(record, ready);
    ready.Commit();
  }

  RunOutcome Run() {
    if (step_.failed()) return Drop();
    ReadyQueue::Cursor ready(queue_);
    while (!ready.empty()) {
      const uint32_t node = ready.Pop();
      const NodeRecord& record = records_[node];
      if (record.flags != 0) {
        AsyncOp* op = nullptr;
        if ((record.flags & kNodeExpensive) != 0) {
          this->PollIfDue();
          const bool give = !ready.empty() && this->WorthGivingBefore(node);
          if (!kShared && (give || !step_.inbox_empty())) {
            ready.Unpop();
            ready.Commit();
            return give ? RunOutcome::kShareAtNode : RunOutcome::kInbox;
          }
          if (give) {
            ready.Commit();
            GiveAllBefore(node);
            ready.Reload();
          }
        } else if ((record.flags & kNodeAsync) != 0) {
          op = &step_.async_op(plan_.detail(node).index);
        }
        const Ran ran = this->RunFlagged(node, record, op);
        this->ReleaseGiven();
        if (ran == Ran::kStarted) continue;
        if (ran == Ran::kFailed) return Drop();
      } else if (record.fn != nullptr) {
        if (!this->Call(this->CallOf(node, record), 0)) return Drop();
        if (kShared && pool_.has_idle_pollers() && ready.size() > 1) {
          ready.Commit();
          GiveHalf();
          ready.Reload();
        }
      }
      Propagate(record, ready);
      if (ready.popped() >= this->next_look_) [[unlikely]] {
        if (!this->WorthGiving(ready.popped(), ready.size())) continue;
        ready.Commit();
        if constexpr (!kShared) return RunOutcome::kShare;
        Give(ready.size() / 2);
        ready.Reload();
      }
    }
    ready.Commit();
    return RunOutcome::kEmpty;
  }

  // Submits the later `count` ready nodes as a worker of their own. Only of a shared step.
  void Give(uint32_t count) { this->SubmitGiven(Given(count)); }

 private:
  using Base::plan_;
  using Base::pool_;
  using Base::records_;
  using Base::step_;

  StepWorker& Given(uint32_t count) {
    StepWorker& other = step_.AcquireWorker();
    queue_.Give(count, other.queue);
    return other;
  }
  // Gives half of the ready nodes away, unless the next one is expensive: they are given away when its turn comes.
  [[gnu::noinline]] void GiveHalf() {
    if ((records_[queue_.next()].flags & kNodeExpensive) == 0) Give(queue_.size() / 2);
  }
  // Gives away all nodes that are ready beside an expensive one.
  void GiveAllBefore(uint32_t node) {
    const auto is_async = [&](uint32_t ready) { return (records_[ready].flags & kNodeAsync) != 0; };
    StepWorker& other = Given(queue_.size());
    this->SubmitGivenBefore(node, other, other.queue.Any(is_async));
  }

  void Propagate(const NodeRecord& record, ReadyQueue::Cursor& ready) {
    const OutEdge* const end = edges_ + (&record + 1)->first_edge;
    for (const OutEdge* edge = edges_ + record.first_edge; edge != end; ++edge) {
      const uint32_t node = edge->node();
      if (edge->only_input()) {
        ready.Push(node);
      } else {
        ready.PushIf(node, CountDown<kShared>(pending_[node]) == 0);
      }
    }
  }

  // Drops the ready nodes, since the step has failed.
  RunOutcome Drop() {
    queue_.Clear();
    return RunOutcome::kEmpty;
  }

  ReadyQueue& queue_;
  const OutEdge* const edges_;
  int32_t* const pending_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_DATAFLOW_RUN_LOOP_H_
