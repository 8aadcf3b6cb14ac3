// Ends the waits of a step that fails, other than Sends and Recvs: in queues, mutexes, collectives.
//
//   class Attempt : public Waiter { void Cancel(Status status) override { /* leave the queue, */ done(status); } };
//   if (Status s = cancellation.Add(attempt); !s.ok()) return done(s);   // the step has already failed
//   ... and whoever can serve the attempt:  if (cancellation.Remove(attempt)) done(Status());
#ifndef DFRUN_SRC_FRAMEWORK_STEP_CANCELLATION_H_
#define DFRUN_SRC_FRAMEWORK_STEP_CANCELLATION_H_

#include "src/base/mutex.h"
#include "src/base/status.h"

namespace dfrun {

// A waiter. The object that adds it owns it, until it was removed or its Cancel() has run.
class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  // Ends the wait with the error; may delete this. Runs on the thread that cancels, without a lock of Cancellation.
  virtual void Cancel(const Status& status) = 0;

 protected:
  virtual ~Waiter() = default;

 private:
  friend class Cancellation;
  Waiter* previous_ = nullptr;
  Waiter* next_ = nullptr;
};

// The cancellation of one step on one rank.
// Thread safety: all methods from any thread.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Adds a waiter: Cancel() ends its wait from here on. After Cancel(): its error, and the waiter is not added.
  Status Add(Waiter& waiter) EXCLUDES(mu_);
  // Removes a waiter that was added. True: it does not wait any more, and its Cancel() never runs. False: Cancel() has
  // taken it, and will end it or has.
  [[nodiscard]] bool Remove(Waiter& waiter) EXCLUDES(mu_);
  // Ends all that wait, and lets nothing wait any more. The first call wins.
  void Cancel(const Status& status) EXCLUDES(mu_);

 private:
  void Unlink(Waiter& waiter) REQUIRES(mu_);

  Mutex mu_;
  Status status_ GUARDED_BY(mu_);
  Waiter* first_ GUARDED_BY(mu_) = nullptr;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_STEP_CANCELLATION_H_
