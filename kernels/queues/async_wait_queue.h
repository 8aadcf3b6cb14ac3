// Objects that asynchronous ops wait for without holding a thread: queues, mutexes, accumulators.
//
// A call becomes a WaitingCall, which waits in a line of the object. Calls of a line are served in the order in which
// they came, each when the object lets it; a failed step takes its calls out of their lines.
#ifndef DFRUN_KERNELS_QUEUES_ASYNC_WAIT_QUEUE_H_
#define DFRUN_KERNELS_QUEUES_ASYNC_WAIT_QUEUE_H_

#include <deque>
#include <memory>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/values/resource.h"

namespace dfrun {

class AsyncWaitQueue;

// One call of an op. Deletes itself after its callback has run.
class WaitingCall : private Waiter {
 public:
  // `ctx`, and the objects that `done` points at, live until done has run.
  WaitingCall(OpContext& ctx, Callback done) : ctx_(ctx), done_(done) {}
  ~WaitingCall() override = default;

  OpContext& ctx() const { return ctx_; }
  // The status that the callback will get.
  void set_status(Status status) { status_ = std::move(status); }
  const Status& status() const { return status_; }
  // Asks, before the call's last effect, if it may have one: false where its step has failed.
  [[nodiscard]] bool Claim();

 protected:
  // Sets the outputs of a call that succeeded. Runs without a lock.
  virtual Status Deliver() { return Status(); }

 private:
  friend class AsyncWaitQueue;
  void Cancel(const Status& status) override;
  void Finish();

  OpContext& ctx_;
  const Callback done_;
  RefPtr<AsyncWaitQueue> object_;
  Status status_;
  size_t line_ = 0;
  // Guarded by the object's mutex.
  enum class State { kComing, kInLine, kOut } state_ = State::kComing;
  bool is_cancelled_ = false;
};

// Thread safety: Submit() from any thread.
// Blocks: no thread; calls wait in their lines. Callbacks run without a lock.
class AsyncWaitQueue : public Resource {
 public:
  // Ends, now or later, with the call's callback. Lines are numbered from 0 on; there are as many as are used.
  void Submit(std::unique_ptr<WaitingCall> waiting_call, size_t line) EXCLUDES(mu_);

 protected:
  enum class Progress {
    kWaits,  // nothing can be done now
    kMoved,  // something was done, and the rest waits
    kEnds,   // the call has its status
    kGone    // Claim() was refused
  };

  // Calls whose callbacks run when this goes out of scope: declare it before the lock.
  class Finished {
   public:
    Finished() = default;
    Finished(const Finished&) = delete;
    Finished& operator=(const Finished&) = delete;
    ~Finished();
    void Add(WaitingCall* waiting_call) { waiting_calls_.push_back(waiting_call); }

   private:
    std::vector<WaitingCall*> waiting_calls_;
  };

  // Serves the first call of a line as far as possible.
  virtual Progress Serve(WaitingCall& waiting_call) REQUIRES(mu_) = 0;
  // Reverts the effect of Serve() for a call that has been cancelled.
  virtual void Undo(WaitingCall& /*waiting_call*/) REQUIRES(mu_) {}

  // Serves the lines after a change of the object.
  void ServeLines(Finished& finished) REQUIRES(mu_);

  mutable Mutex mu_;

 private:
  friend class WaitingCall;
  bool ServeFirst(std::deque<WaitingCall*>& line, Finished& finished) REQUIRES(mu_);
  void Leave(WaitingCall& waiting_call) EXCLUDES(mu_);

  std::vector<std::deque<WaitingCall*>> lines_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_QUEUES_ASYNC_WAIT_QUEUE_H_
