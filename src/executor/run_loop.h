// The run loop: takes ready nodes of a step, runs them, and finds what became ready.
//
// A template over what the plan holds (Flow: how outputs make readers ready) and over whether other threads work on the
// step (kShared), so that neither costs anything where it is not so.
#ifndef DFRUN_SRC_EXECUTOR_RUN_LOOP_H_
#define DFRUN_SRC_EXECUTOR_RUN_LOOP_H_

#include <algorithm>
#include <atomic>
#include <utility>

#include "src/executor/node_actions.h"
#include "src/executor/step_state.h"
#include "src/executor/step_trace.h"
#include "src/framework/executor_access.h"

namespace dfrun {

// One less, and what is left.
template <bool kShared>
int32_t CountDown(int32_t& counter) {
  if constexpr (kShared) return std::atomic_ref<int32_t>(counter).fetch_sub(1, std::memory_order_acq_rel) - 1;
  return --counter;
}

// No control flow: a node is ready when all its inputs are there.
struct PlainFlow {
  template <bool kShared>
  static void Propagate(const OutEdge* edge, const OutEdge* end, int32_t* pending, ReadyQueue::Cursor& ready) {
    for (; edge != end; ++edge) {
      const uint32_t node = edge->node();
      if (edge->only_input()) {
        ready.Push(node);
      } else {
        ready.PushIf(node, CountDown<kShared>(pending[node]) == 0);
      }
    }
  }
};

// One thread's work on a step: from an activation's queue until it is empty.
template <class Flow, bool kShared>
class RunLoop {
 public:
  enum class Outcome {
    kEmpty,  // nothing is ready
    kShare,  // of an exclusive step: there is work to give away
    kInbox,  // of an exclusive step: something came into its inbox
  };

  RunLoop(StepState& step, Activation& self)
      : step_(step),
        plan_(step.plan()),
        pool_(step.pool()),
        queue_(self.queue),
        records_(plan_.records()),
        inputs_(plan_.inputs()),
        edges_(plan_.edges()),
        infos_(plan_.infos()),
        slots_(step.values().slots()),
        pending_(step.values().pending()),
        readers_(step.values().readers()),
        trace_(step.args().trace) {
    ExecutorAccess::BindStep(context_, slots_, plan_.device(), pool_, step.args().step);
  }

  // Finds what the end of an asynchronous node made ready. Its count in the step has become this activation's.
  void Absorb(AsyncOp& op) {
    Status status = std::exchange(op.status, Status());
    if (!status.ok()) step_.Fail(AtNode(plan_, op.node, status));
    if (step_.failed()) return;
    const NodeRecord& record = records_[op.node];
    if ((record.flags & kNodeReleases) != 0) ReleaseSlots(op.node);
    ReadyQueue::Cursor ready(queue_);
    Propagate(record, ready);
    ready.Commit();
  }

  Outcome Run() {
    if (step_.failed()) return Drop();
    ReadyQueue::Cursor ready(queue_);
    while (!ready.empty()) {
      const uint32_t node = ready.Pop();
      const NodeRecord& record = records_[node];
      if (record.flags != 0) {
        if ((record.flags & kNodeExpensive) != 0) {
          PollIfDue();
          const bool give = !ready.empty() && WorthGivingBefore(node);
          if (!kShared && (give || !step_.inbox_empty())) {
            ready.Unpop();
            ready.Commit();
            return give ? Outcome::kShare : Outcome::kInbox;
          }
          if (give) {
            ready.Commit();
            Give(ready.size());
            ready.Reload();
          }
        }
        const Ran ran = RunFlagged(node, record);
        if (ran == Ran::kStarted) continue;
        if (ran == Ran::kFailed) return Drop();
      } else if (record.fn != nullptr) {
        if (!Call(node, record, 0)) return Drop();
        if (kShared && pool_.hungry() && ready.size() > 1) {
          ready.Commit();
          Give(ready.size() / 2);
          ready.Reload();
        }
      }
      Propagate(record, ready);
      if (ready.popped() >= next_look_) [[unlikely]] {
        if (!WorthGiving(ready.popped(), ready.size())) continue;
        ready.Commit();
        if constexpr (!kShared) return Outcome::kShare;
        Give(ready.size() / 2);
        ready.Reload();
      }
    }
    ready.Commit();
    return Outcome::kEmpty;
  }

  // Submits the later `count` ready nodes as an activation of their own. Only of a shared step.
  void Give(uint32_t count) {
    Activation& other = step_.AcquireActivation();
    queue_.Give(count, other.queue);
    step_.active().fetch_add(1, std::memory_order_relaxed);
    pool_.Submit(&other);
    busy_since_ns_ = 0;
  }

 private:
  enum class Ran { kDone, kStarted, kFailed };

  // How many nodes run between two looks at who else could use work: more and more while they are cheap.
  static constexpr uint32_t kFirstLook = 16;
  static constexpr uint32_t kLongestLook = 1024;
  // Nodes cheaper than this run faster on one thread without atomic counters than on two with them.
  static constexpr int64_t kCheapNodeNs = 40;
  // A sleeper runs 20 us after it was woken, and costs the waker 6 us.
  static constexpr int64_t kWorthWakingNs = 20'000;
  // A poll without progress takes some 0.3 us.
  static constexpr int64_t kPollAfterNs = 20'000;

  void Propagate(const NodeRecord& record, ReadyQueue::Cursor& ready) {
    Flow::template Propagate<kShared>(edges_ + record.first_edge, edges_ + (&record + 1)->first_edge, pending_, ready);
  }

  // The step has failed: what is ready stays undone.
  Outcome Drop() {
    queue_.Clear();
    return Outcome::kEmpty;
  }

  Ran Fail(uint32_t node, const Status& status) {
    step_.Fail(AtNode(plan_, node, status));
    return Ran::kFailed;
  }

  bool Call(uint32_t node, const NodeRecord& record, uint64_t forwardable) {
    if (kShared && step_.failed()) return false;
    ExecutorAccess::BindNode(context_, *infos_[node], inputs_ + record.first_input, slots_ + record.first_output,
                             forwardable);
    const int64_t start_ns = trace_ != nullptr ? StepTrace::NowNs() : 0;
    const Status status = record.fn(record.kernel, context_);
    if (trace_ != nullptr) [[unlikely]]
      TraceNode(*trace_, plan_, node, slots_, step_.args().step.step_id, start_ns);
    if (status.ok()) [[likely]]
      return true;
    Fail(node, status);
    return false;
  }

  Ran RunFlagged(uint32_t node, const NodeRecord& record) {
    if ((record.flags & kNodeReadsRefs) != 0) {
      if (Status s = CheckRefs(plan_, node, slots_); !s.ok()) return Fail(node, s);
    }
    const uint64_t forwardable = (record.flags & kNodeReleases) != 0 ? Forwardable(node) : 0;
    if ((record.flags & kNodeAsync) != 0) {
      Start(node, record, forwardable);
      return Ran::kStarted;
    }
    if ((record.flags & kNodeRetval) != 0) {
      const Tensor& value = slots_[inputs_[record.first_input]];
      Status s = StoreFetch(value, plan_.device().allocator(), step_.args().fetches[plan_.detail(node).index]);
      if (!s.ok()) return Fail(node, s);
    } else if ((record.flags & kNodeExpensive) != 0) {
      if (!CallTimed(node, record, forwardable)) return Ran::kFailed;
    } else if (record.fn != nullptr) {
      if (!Call(node, record, forwardable)) return Ran::kFailed;
    }
    if ((record.flags & kNodeReleases) != 0) ReleaseSlots(node);
    return Ran::kDone;
  }

  bool CallTimed(uint32_t node, const NodeRecord& record, uint64_t forwardable) {
    if (pool_.num_threads() == 1 && plan_.num_async() == 0) return Call(node, record, forwardable);
    const int64_t start_ns = StepTrace::NowNs();
    if (!Call(node, record, forwardable)) return false;
    std::atomic<uint32_t>& cost = plan_.cost_ns(plan_.detail(node).index);
    const int64_t taken_ns = std::min<int64_t>(StepTrace::NowNs() - start_ns, UINT32_MAX);
    unpolled_ns_ += taken_ns;
    cost.store(static_cast<uint32_t>((taken_ns + cost.load(std::memory_order_relaxed)) / 2), std::memory_order_relaxed);
    return true;
  }

  void Start(uint32_t node, const NodeRecord& record, uint64_t forwardable) {
    AsyncOp& op = step_.async_op(plan_.detail(node).index);
    op.node = node;
    op.start_ns = trace_ != nullptr ? StepTrace::NowNs() : 0;
    ExecutorAccess::BindStep(op.context, slots_, plan_.device(), pool_, step_.args().step);
    ExecutorAccess::BindNode(op.context, *infos_[node], inputs_ + record.first_input, slots_ + record.first_output,
                             forwardable);
    if constexpr (kShared) {
      step_.active().fetch_add(1, std::memory_order_relaxed);
    } else {
      ++step_.in_flight();
    }
    static_cast<AsyncKernel*>(record.kernel)->ComputeAsync(op.context, {&AsyncOp::Done, &op});
  }

  // The inputs that nothing else will read: those of the plan, and those that all other readers are done with.
  uint64_t Forwardable(uint32_t node) const {
    uint64_t mask = 0;
    for (const Release& release : plan_.releases(node)) {
      if (release.input >= 0 && (release.counter < 0 || Readers(release.counter) == 1)) {
        mask |= uint64_t{1} << release.input;
      }
    }
    return mask;
  }

  int32_t Readers(int32_t counter) const {
    if constexpr (kShared) return std::atomic_ref<int32_t>(readers_[counter]).load(std::memory_order_acquire);
    return readers_[counter];
  }

  void ReleaseSlots(uint32_t node) {
    for (const Release& release : plan_.releases(node)) {
      if (release.counter < 0 || CountDown<kShared>(readers_[release.counter]) == 0) slots_[release.slot].Reset();
    }
  }

  // Communication that began in this step must go on while its threads compute.
  void PollIfDue() {
    if (unpolled_ns_ < kPollAfterNs || plan_.num_async() == 0) return;
    unpolled_ns_ = 0;
    pool_.Poll();
  }

  // True where other ready nodes should not wait for this expensive one.
  bool WorthGivingBefore(uint32_t node) {
    if (pool_.num_threads() == 1) return false;
    return pool_.hungry() || plan_.cost_ns(plan_.detail(node).index).load(std::memory_order_relaxed) > kWorthWakingNs;
  }

  // True where some of `size` ready nodes are better run by another thread: one looks for work, or one sleeps and this
  // one has been busy for longer than waking takes, and the nodes since the last look were not cheap.
  bool WorthGiving(uint32_t popped, uint32_t size) {
    const uint32_t nodes = look_interval_;
    next_look_ = popped + look_interval_;
    if (size < 2 || !(pool_.hungry() || pool_.has_sleeper())) {
      looked_ns_ = 0;
      return false;
    }
    const int64_t now_ns = StepTrace::NowNs();
    const int64_t taken_ns = looked_ns_ == 0 ? 0 : now_ns - looked_ns_;
    looked_ns_ = now_ns;
    if (busy_since_ns_ == 0) busy_since_ns_ = now_ns;
    if (taken_ns < nodes * kCheapNodeNs) {
      if (taken_ns > 0) look_interval_ = std::min(look_interval_ * 2, kLongestLook);
      next_look_ = popped + look_interval_;
      return false;
    }
    look_interval_ = kFirstLook;
    return pool_.hungry() || now_ns - busy_since_ns_ > kWorthWakingNs;
  }

  StepState& step_;
  ExecPlan& plan_;
  WorkerPool& pool_;
  ReadyQueue& queue_;
  const NodeRecord* const records_;
  const uint32_t* const inputs_;
  const OutEdge* const edges_;
  const NodeInfo* const* const infos_;
  Tensor* const slots_;
  int32_t* const pending_;
  int32_t* const readers_;
  StepTrace* const trace_;
  uint32_t next_look_ = kFirstLook;  // when this many nodes have run
  uint32_t look_interval_ = kFirstLook;
  int64_t looked_ns_ = 0;      // 0: nobody waited then
  int64_t unpolled_ns_ = 0;    // in expensive kernels
  int64_t busy_since_ns_ = 0;  // since somebody waits; 0: nobody
  OpContext context_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_RUN_LOOP_H_
