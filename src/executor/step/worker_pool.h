// The threads of a rank: they run parts of steps and blocks of large kernels.
//
// A pool of T threads owns T-1 workers; the T-th is any thread that calls RunPlan, RunBlocks or HelpUntil. With T = 1
// there is no other thread: everything runs on callers, and only they call the poll hook.
//
// A thread without work polls briefly, then yields, then sleeps: a sleeper costs its waker 6 us and runs 20 us later,
// and a thread that spins on a shared core costs the other program 10 ms. On a core that others do not yield it sleeps
// at once.
#ifndef DFRUN_SRC_EXECUTOR_STEP_WORKER_POOL_H_
#define DFRUN_SRC_EXECUTOR_STEP_WORKER_POOL_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/threads.h"
#include "src/executor/step/idle_clock.h"

namespace dfrun {

// A piece of work in the pool's queue. The submitter owns it, and may use it again as soon as `run` is called.
struct Work {
  void (*run)(Work* self) = nullptr;
  Work* next = nullptr;
};

// The means by which a thread sleeps that has looked for work in vain for long.
struct NetworkWait {
  // File descriptors, one of which is readable when there is something to poll for, after `arm` has returned true.
  // Empty: there are none, and the waiting thread polls again and again.
  std::vector<int> descriptors = {};
  std::function<bool()> arm = {};
  // False: no thread sleeps, because only polls bring messages, as where the ranks are threads that take turns in them.
  bool sleeps = true;
};

// Thread safety: all methods from any thread.
// Lifetime: the pool must outlive all work, and is destroyed when nothing runs or is queued.
class WorkerPool final : public ThreadPool {
 public:
  // `threads`: 0 stands for one thread for each core that this process may run on.
  explicit WorkerPool(int threads = 0);
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int num_threads() const override { return num_threads_; }
  int ready_threads() const override;
  // The caller takes part in the blocks, and waits only for blocks that others began: nesting cannot deadlock.
  void RunBlocks(int64_t blocks, FunctionRef<void(int64_t)> body) override { RunBlocksBefore(nullptr, blocks, body); }
  // Runs the blocks and submits `later` (null: nothing), so that idle threads begin with the blocks.
  void RunBlocksBefore(Work* later, int64_t blocks, FunctionRef<void(int64_t)> body);

  // Sets the function that drives communication; it returns true if it made progress. Threads without work call it, one
  // at a time; it must not block and may submit work. An empty function takes it away: when SetPollHook() returns, no
  // thread is in the old one. The hook must not call this.
  void SetPollHook(std::function<bool()> hook, NetworkWait wait = {});
  // Calls the hook unless another thread is in it; true if there was progress.
  bool Poll();

  // Calls the hook a few times, until `done()` or there is other work, and returns `done()`. For the only thread of a
  // pool, before it leaves its work for want of a message.
  bool PollBriefly(FunctionRef<bool()> done);

  // Runs the work that is queued now, where the calling thread is the only one: for a thread amid a long piece of work,
  // which others would wait for.
  void RunQueuedAlone();
  // Whether something else wants the thread that runs work of many parts one after the other: a caller of HelpUntil()
  // is to look whether it is done, work is queued that no other thread takes, or the thread is amid other work. The
  // work then submits itself again for the parts that are left.
  bool IsWanted() const {
    return is_notified_.load(std::memory_order_relaxed) ||
           (num_threads_ == 1 && (amid_work_.load(std::memory_order_relaxed) > 0 || HasWork()));
  }

  // Queues work, first come first served. Wakes a sleeper where no thread is looking for work.
  void Submit(Work* work);
  // Runs work until `done()`, which must not block; the thread that makes it true calls Notify() afterwards.
  void HelpUntil(FunctionRef<bool()> done);
  void Notify();
  // Whether nothing is queued and the thread that made the pool sleeps in HelpUntil(). Looks for some milliseconds,
  // because a waiting thread sleeps in short turns.
  // Thread safety: any thread.
  bool IsQuiet() const;

  // The time in ns in which the thread that made the pool and all workers looked for work or slept, since a poll had
  // brought none: they waited for messages, for data, for a device's stream or for a request. What other callers of the
  // pool do does not count.
  // Thread safety: any thread.
  int64_t idle_ns() const { return idle_.idle_ns(); }

  // Returns true where a thread looks for work right now: handing it some costs no wake-up.
  bool has_idle_pollers() const { return idle_pollers_.load(std::memory_order_relaxed) > 0; }
  // Returns true where a worker sleeps: work worth more than its wake-up may be handed to it.
  bool has_sleeper() const { return idle_workers_.sleeping.load(std::memory_order_relaxed) > 0; }

 private:
  class BlockJob;
  class Backoff;
  class IdleTurn;
  struct Sleepers {
    CondVar wake;
    std::atomic<int> sleeping{0};  // written under mu_
  };

  void WorkerMain();
  void Append(Work* work) REQUIRES(mu_);
  void RunUntil(FunctionRef<bool()> done, Sleepers& sleepers);
  // Runs one piece of work, if there is one.
  bool RunOne();
  bool HasWork() const { return queued_.load() > 0; }
  // Evaluates the condition of HelpUntil().
  bool IsDone(FunctionRef<bool()> done, const Sleepers& sleepers);
  // Returns when there may be work, or `done()`.
  void LookForWork(FunctionRef<bool()> done, Sleepers& sleepers);
  void SetIdle(bool idle);
  // Sleeps; with a poll hook for `longest` at most.
  void Sleep(FunctionRef<bool()> done, Sleepers& sleepers, std::chrono::microseconds longest);
  // Sleeps until the network, Notify() or Wake() wakes it, or for a while; false: it did not sleep.
  bool SleepOnNetwork(FunctionRef<bool()> done, Sleepers& sleepers);
  void WakeNetworkSleepers();
  // Called before and after a sleep of either kind, for Notify(), Wake() and IsQuiet().
  void BeginSleep(Sleepers& sleepers) REQUIRES(mu_);
  void EndSleep(Sleepers& sleepers) REQUIRES(mu_);
  // Wakes up to `threads` sleepers, those in HelpUntil() first.
  void Wake(int64_t threads) REQUIRES(mu_);
  void WaitForJoined(const BlockJob& job);

  const int num_threads_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::function<bool()> poll_;  // guarded by polling_: for the thread that has set it
  NetworkWait wait_;            // guarded by polling_
  std::atomic<bool> polling_{false};
  std::atomic<bool> has_hook_{false};
  std::atomic<bool> sleeps_{true};  // NetworkWait::sleeps
  const int wake_event_;            // an eventfd
  std::atomic<int> network_sleepers_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> is_notified_{false};             // Notify() since a caller of HelpUntil() last looked
  std::atomic<int> amid_work_{0};                    // calls of RunQueuedAlone()
  std::atomic<int64_t> oversubscribed_until_ns_{0};  // steady clock: others keep the core for long

  // Read by busy threads all the time, written by idle ones seldom.
  alignas(64) std::atomic<int> idle_pollers_{0};
  alignas(64) std::atomic<int> queued_{0};  // pieces of work, and block jobs with blocks to take
  alignas(64) IdleClock idle_;

  alignas(64) Mutex mu_;
  CondVar blocks_done_;
  Work* first_ GUARDED_BY(mu_) = nullptr;
  Work* last_ GUARDED_BY(mu_) = nullptr;
  BlockJob* jobs_ GUARDED_BY(mu_) = nullptr;
  Sleepers idle_workers_;
  Sleepers idle_callers_;
  std::atomic<bool> owner_sleeps_{false};  // written under mu_

  std::vector<std::thread> workers_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_WORKER_POOL_H_
