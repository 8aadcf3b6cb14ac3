// Objects that asynchronous ops wait for without holding a thread: queues, mutexes, accumulators.
//
// A call becomes an Attempt, which stands in a line of the object. Attempts of a line are served in the order in which
// they came, each when the object lets it; a failed step takes its attempts out of their lines.
#ifndef DFRUN_KERNELS_QUEUES_WAITABLE_H_
#define DFRUN_KERNELS_QUEUES_WAITABLE_H_

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/kernel.h"
#include "src/framework/resource.h"

namespace dfrun {

class Waitable;

// One call of an op. Deletes itself after its callback has run.
class Attempt : private Waiter {
 public:
  // `ctx` and what `done` points at live until done has run.
  Attempt(OpContext& ctx, Callback done) : ctx_(ctx), done_(done) {}
  ~Attempt() override = default;

  OpContext& ctx() const { return ctx_; }
  // What the callback will get.
  void set_status(Status status) { status_ = std::move(status); }
  const Status& status() const { return status_; }
  // Before the attempt's last effect: false where its step has failed, and it must have none.
  [[nodiscard]] bool Claim();

 protected:
  // Sets the outputs of an attempt that succeeded. Runs without a lock.
  virtual Status Deliver() { return Status(); }

 private:
  friend class Waitable;
  void Cancel(const Status& status) override;
  void Finish();

  OpContext& ctx_;
  const Callback done_;
  RefPtr<Waitable> object_;
  Status status_;
  size_t line_ = 0;
  // Guarded by the object's mutex.
  enum class Place { kComing, kInLine, kOut } place_ = Place::kComing;
  bool is_cancelled_ = false;
};

// Thread safety: Submit() and Wake() from any thread. Callbacks run without a lock.
class Waitable : public Resource {
 public:
  static constexpr size_t kLines = 2;

  // Ends, now or later, with the attempt's callback.
  void Submit(std::unique_ptr<Attempt> attempt, size_t line) EXCLUDES(mu_);

 protected:
  enum class Progress {
    kWaits,  // nothing can be done now
    kMoved,  // something was done, and the rest waits
    kEnds,   // the attempt has its status
    kGone    // Claim() was refused
  };

  // Attempts whose callbacks run when this goes out of scope: declare it before the lock.
  class Finished {
   public:
    Finished() = default;
    Finished(const Finished&) = delete;
    Finished& operator=(const Finished&) = delete;
    ~Finished();
    void Add(Attempt* attempt) { attempts_.push_back(attempt); }

   private:
    std::vector<Attempt*> attempts_;
  };

  // Does for the first attempt of a line what can be done.
  virtual Progress Serve(Attempt& attempt) REQUIRES(mu_) = 0;
  // Takes back what Serve() did for an attempt that has been cancelled.
  virtual void Undo(Attempt& /*attempt*/) REQUIRES(mu_) {}

  // Serves the lines after a change of the object.
  void ServeLines(Finished& finished) REQUIRES(mu_);

  mutable Mutex mu_;

 private:
  friend class Attempt;
  bool ServeFirst(std::deque<Attempt*>& line, Finished& finished) REQUIRES(mu_);
  void Leave(Attempt& attempt) EXCLUDES(mu_);

  std::array<std::deque<Attempt*>, kLines> lines_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_QUEUES_WAITABLE_H_
