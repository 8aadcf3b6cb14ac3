// Runs one node at a time for both run loops: it calls or starts the kernel, releases the values that the node was the
// last to read, and finds when other threads should have some of the work.
#ifndef DFRUN_SRC_EXECUTOR_DATAFLOW_NODE_RUNNER_H_
#define DFRUN_SRC_EXECUTOR_DATAFLOW_NODE_RUNNER_H_

#include <algorithm>
#include <atomic>
#include <utility>

#include "src/executor/capture/capture_partition.h"
#include "src/executor/capture/captured_subgraph.h"
#include "src/executor/step/counters.h"
#include "src/executor/step/memory_report.h"
#include "src/executor/step/node_actions.h"
#include "src/executor/step/node_pool.h"
#include "src/executor/step/numerics_check.h"
#include "src/executor/step/step_state.h"
#include "src/framework/kernel/executor_access.h"
#include "src/framework/step/trace_sink.h"

namespace dfrun {

enum class RunOutcome {
  kEmpty,        // nothing is ready
  kShare,        // exclusive step: there is work to give away
  kShareAtNode,  // exclusive step: there is; the next node decides where it goes
  kInbox,        // exclusive step: something came into its inbox
};

// Runs nodes of one step on one thread. `node` is a number in the whole plan; slots and counters are those of the bound
// iteration.
template <bool kShared>
class NodeRunner {
 protected:
  enum class Ran { kDone, kStarted, kFailed };

  explicit NodeRunner(StepState& step)
      : step_(step),
        plan_(step.plan()),
        pool_(step.pool()),
        node_pool_(pool_),
        records_(plan_.records()),
        inputs_(plan_.inputs()),
        infos_(plan_.infos()),
        is_watched_(step.args().trace != nullptr || step.args().numerics != nullptr) {
    Bind(step.values());
  }

  void Bind(StepValues& values) {
    slots_ = values.slots();
    readers_ = values.readers();
    ExecutorAccess::BindStep(context_, slots_, plan_.device(), pool_, step_.args().step);
  }

  Ran Fail(uint32_t node, const Status& status) {
    const bool is_subgraph = plan_.info(node).op->name == kCapturedSubgraphOp;  // a unit's error is complete
    const Status at_turn = step_.AtTurn(context_.iteration(), status);
    step_.Fail(is_subgraph ? status : WithMemoryReport(AtNode(plan_, node, at_turn), step_, kShared));
    return Ran::kFailed;
  }

  // Fails the step if the node has failed; returns false then.
  bool Succeeded(uint32_t node, const Status& status) {
    if (status.ok()) [[likely]]
      return true;
    Fail(node, status);
    return false;
  }

  // The node's number is computed from the record, so that only the record is kept in a register over the call; the
  // code after the call waits for it.
  KernelCall CallOf(uint32_t node, const NodeRecord& record) const {
    const auto number = static_cast<uint32_t>(&record - records_);
    return {record.fn, record.kernel, infos_[node], inputs_ + record.first_input, record.first_output, number};
  }

  // The kernel may take the buffers of the `forwardable` inputs.
  [[gnu::always_inline]] bool Call(const KernelCall& call, uint64_t forwardable) {
    if (kShared && step_.failed()) return false;
    ExecutorAccess::BindNode(context_, *call.info, call.inputs, slots_ + call.first_output, forwardable);
    if (is_watched_) [[unlikely]]
      return Succeeded(call.node, CallWatched(call.fn, call.kernel, call.node));
    return Succeeded(call.node, call.fn(call.kernel, context_));
  }

  // Calls a kernel that is traced or whose values are looked at, and waits for the work that it enqueues. The arguments
  // are passed apart, so that a call which is not watched need not lie in memory.
  [[gnu::noinline]] Status CallWatched(Kernel::Fn fn, Kernel* kernel, uint32_t node) {
    if (const auto* const subgraph = dynamic_cast<const CapturedSubgraph*>(kernel); subgraph != nullptr) {
      return subgraph->ComputeWatched(context_, step_.args());
    }
    NumericsCheck* const numerics = step_.args().numerics;
    const NumericsCheck::Inputs inputs =
        numerics != nullptr ? numerics->Before(plan_, node, slots_) : NumericsCheck::Inputs();
    ForgetEnqueued();
    const int64_t start_ns = TraceSink::NowNs();
    Status status = fn(kernel, context_);
    const bool is_enqueued = ExecutorAccess::TakeEnqueued(context_);
    if (is_enqueued && status.ok()) status = plan_.device().Synchronize();
    if (step_.args().trace != nullptr) {
      TraceNode(step_.args(), plan_, node, slots_,
                {.is_enqueued = is_enqueued, .start_ns = start_ns, .iteration = context_.iteration()});
    }
    if (numerics != nullptr && status.ok()) numerics->After(plan_, node, slots_, inputs);
    return status;
  }

  bool CallTimed(const KernelCall& call, uint64_t forwardable) {
    if (pool_.num_threads() == 1 && !plan_.has_async()) return Call(call, forwardable);
    ForgetEnqueued();
    const int64_t start_ns = TraceSink::NowNs();
    node_pool_.Begin();
    ExecutorAccess::SetPool(context_, node_pool_);
    const bool succeeded = Call(call, forwardable);
    ExecutorAccess::SetPool(context_, pool_);
    if (!succeeded) return false;
    if (ExecutorAccess::TakeEnqueued(context_)) return true;  // the call says nothing of the work's cost
    ExecPlan::KernelStats& kernel_stats = plan_.kernel_stats(plan_.detail(call.node).index);
    const int64_t taken_ns = std::min<int64_t>(TraceSink::NowNs() - start_ns, UINT32_MAX);
    unpolled_ns_ += taken_ns;
    kernel_stats.cost_ns.store(
        static_cast<uint32_t>((taken_ns + kernel_stats.cost_ns.load(std::memory_order_relaxed)) / 2),
        std::memory_order_relaxed);
    kernel_stats.shares_in.store(node_pool_.longest(), std::memory_order_relaxed);
    return true;
  }

  // `op` is for an asynchronous node.
  Ran RunFlagged(uint32_t node, const NodeRecord& record, AsyncOp* op) {
    if ((record.flags & kNodeGated) != 0 && step_.IsWithheld(record.flags >> kGateGroupShift)) [[unlikely]] {
      HandOnVariable(plan_, node, slots_);
      if ((record.flags & kNodeReleases) != 0) ReleaseSlots(node);
      return Ran::kDone;
    }
    if ((record.flags & kNodeReadsRefs) != 0) {
      if (Status s = CheckRefs(plan_, node, slots_); !s.ok()) return Fail(node, s);
    }
    const uint64_t forwardable = (record.flags & kNodeReleases) != 0 ? Forwardable(node) : 0;
    if ((record.flags & kNodeAsync) != 0) {
      Start(node, record, forwardable, *op);
      return Ran::kStarted;
    }
    if ((record.flags & kNodeRetval) != 0) {
      const Tensor& value = slots_[inputs_[record.first_input]];
      Status s = StoreFetch(value, plan_.device(), step_.args().fetches[plan_.detail(node).index]);
      if (!s.ok()) return Fail(node, s);
    } else if ((record.flags & kNodeExpensive) != 0) {
      if (!CallTimed(CallOf(node, record), forwardable)) return Ran::kFailed;
    } else if (record.fn != nullptr) {
      if (!Call(CallOf(node, record), forwardable)) return Ran::kFailed;
      if ((record.flags & kNodeGate) != 0)
        step_.ObeyGate(slots_[record.first_output].scalar<int32_t>(), record.flags >> kGateGroupShift);
    }
    if ((record.flags & kNodeReleases) != 0) ReleaseSlots(node);
    return Ran::kDone;
  }

  void Start(uint32_t node, const NodeRecord& record, uint64_t forwardable, AsyncOp& op) {
    op.node = node;
    op.slots = slots_;
    op.start_ns = is_watched_ ? TraceSink::NowNs() : 0;
    op.MarkStarted(step_.args().step.step_id);
    ExecutorAccess::BindStep(op.context, slots_, plan_.device(), pool_, step_.args().step);
    ExecutorAccess::SetIteration(op.context, context_.iteration());
    ExecutorAccess::BindNode(op.context, *infos_[node], inputs_ + record.first_input, slots_ + record.first_output,
                             forwardable);
    if constexpr (kShared) {
      step_.active().fetch_add(1, std::memory_order_relaxed);
    } else {
      ++step_.in_flight();
    }
    static_cast<AsyncKernel*>(record.kernel)->ComputeAsync(op.context, {&StepState::OpDone, &op});
  }

  // Returns the inputs that nothing else will read: those of the plan, and those that all other readers are done with.
  uint64_t Forwardable(uint32_t node) const {
    uint64_t mask = 0;
    for (const Release& release : plan_.releases(node)) {
      if (release.input >= 0 && (release.counter < 0 || LoadCount<kShared>(readers_[release.counter]) == 1)) {
        mask |= uint64_t{1} << release.input;
      }
    }
    return mask;
  }

  void ReleaseSlots(uint32_t node) {
    for (const Release& release : plan_.releases(node)) {
      if (release.counter < 0 || CountDown<kShared>(readers_[release.counter]) == 0) slots_[release.slot].Reset();
    }
  }

  // Submits a worker that has been given work of this one.
  void SubmitGiven(StepWorker& other) {
    step_.active().fetch_add(1, std::memory_order_relaxed);
    pool_.Submit(&other);
    busy_since_ns_ = 0;
  }
  // Submits all ready nodes before an expensive one runs. Other threads begin with that node's blocks, so that all end
  // together; two large nodes on a thread each would end by waiting for the longer one's last block. Nodes that others
  // may wait for elsewhere (`is_awaited`) are not held back. Call ReleaseGiven() after the node.
  void SubmitGivenBefore(uint32_t node, StepWorker& other, bool is_awaited) {
    const int shares_in = kernel_stats(node).shares_in.load(std::memory_order_relaxed);
    if (shares_in == 0 || is_awaited) return SubmitGiven(other);
    step_.active().fetch_add(1, std::memory_order_relaxed);
    node_pool_.Hold(&other, shares_in);
    busy_since_ns_ = 0;
  }
  void ReleaseGiven() { node_pool_.Release(); }

  // Polls the network if it is due: communication that began in this step must go on while its threads compute. What it
  // brings for other steps, whose ranks wait, is done at once where no other thread would do it.
  void PollIfDue() {
    if (unpolled_ns_ < kPollAfterNs || !plan_.has_async()) return;
    unpolled_ns_ = 0;
    pool_.Poll();
    pool_.RunQueuedAlone();
  }

  // Returns true where other ready nodes should not wait for this expensive one.
  bool WorthGivingBefore(uint32_t node) {
    if (pool_.num_threads() == 1) return false;
    return pool_.has_idle_pollers() || kernel_stats(node).cost_ns.load(std::memory_order_relaxed) > kWorthWakingNs;
  }

  // Returns true where some of `size` ready nodes are better run by another thread: one looks for work, or one sleeps
  // and this one has been busy for longer than waking takes, and the nodes since the last look were not cheap.
  bool WorthGiving(uint32_t popped, uint32_t size) {
    const uint32_t nodes = look_interval_;
    next_look_ = popped + look_interval_;
    if (size < 2 || !(pool_.has_idle_pollers() || pool_.has_sleeper())) {
      looked_ns_ = 0;
      return false;
    }
    const int64_t now_ns = TraceSink::NowNs();
    const int64_t taken_ns = looked_ns_ == 0 ? 0 : now_ns - looked_ns_;
    looked_ns_ = now_ns;
    if (busy_since_ns_ == 0) busy_since_ns_ = now_ns;
    if (taken_ns < nodes * kCheapNodeNs) {
      if (taken_ns > 0) look_interval_ = std::min(look_interval_ * 2, kLongestLook);
      next_look_ = popped + look_interval_;
      return false;
    }
    look_interval_ = kFirstLook;
    return pool_.has_idle_pollers() || now_ns - busy_since_ns_ > kWorthWakingNs;
  }

 private:
  // The number of nodes between two looks for threads that could use work; it grows while nodes are cheap.
  static constexpr uint32_t kFirstLook = 16;
  static constexpr uint32_t kLongestLook = 1024;
  // Nodes cheaper than this run faster on one thread without atomic counters than on two with them.
  static constexpr int64_t kCheapNodeNs = 40;
  // A sleeper runs 20 us after it was woken, and costs the waker 6 us.
  static constexpr int64_t kWorthWakingNs = 20'000;
  // A poll without progress takes some 0.3 us.
  static constexpr int64_t kPollAfterNs = 20'000;

  // Forgets whether earlier nodes have enqueued work, which nobody asked.
  void ForgetEnqueued() { static_cast<void>(ExecutorAccess::TakeEnqueued(context_)); }

  ExecPlan::KernelStats& kernel_stats(uint32_t node) { return plan_.kernel_stats(plan_.detail(node).index); }

 protected:
  StepState& step_;
  ExecPlan& plan_;
  WorkerPool& pool_;
  NodePool node_pool_;
  const NodeRecord* const records_;
  const uint32_t* const inputs_;
  const NodeInfo* const* const infos_;
  Tensor* slots_ = nullptr;
  int32_t* readers_ = nullptr;
  const bool is_watched_;            // by a trace or a check of values
  uint32_t next_look_ = kFirstLook;  // when this many nodes have run
  OpContext context_;

 private:
  int64_t busy_since_ns_ = 0;  // begin of the time in which others could take work; 0: none could
  uint32_t look_interval_ = kFirstLook;
  int64_t looked_ns_ = 0;    // time of the last look; 0: none could take work then
  int64_t unpolled_ns_ = 0;  // in expensive kernels
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_DATAFLOW_NODE_RUNNER_H_
