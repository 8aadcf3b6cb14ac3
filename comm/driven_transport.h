// A transport whose network one thread at a time may drive: the queue of calls that wait for it, and who drives when.
//
// A network derives from it and says how a call is started, tested and ended. A thread that finds another one driving
// leaves its calls in the queue; the driver empties it before it lets go, and looks again after.
#ifndef DFRUN_COMM_DRIVEN_TRANSPORT_H_
#define DFRUN_COMM_DRIVEN_TRANSPORT_H_

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "comm/completions.h"
#include "comm/transport.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

class DrivenTransport : public Transport {
 public:
  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) final;
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) final;
  void RecvLater(int peer, MessageTag tag, void* data, size_t bytes, Callback done) final;
  bool Poll() final;
  void Abort(const Status& status) final;

 protected:
  // One Send or Recv.
  struct Call {
    char* data = nullptr;  // never written to in a Send
    size_t bytes = 0;
    int peer = 0;
    MessageTag tag = {};
    bool is_send = false;
    Callback done = {};
  };

  // The thread that drives calls these, one at a time, without holding a lock. None runs a callback: what is complete
  // goes to `completed`, whose callbacks run when the thread has let go.

  // Begins and ends what may be done by one thread of the process only.
  virtual void EnterNetwork() {}
  virtual void LeaveNetwork() {}
  // Starts a call; it may complete at once.
  virtual void Start(const Call& call, Completions* completed) = 0;
  // Moves messages and completes calls. True if any was completed.
  virtual bool Progress(Completions* completed) = 0;
  // Ends every started call with `status`, receives when the network can no longer write to their memory. Once; no
  // Start() follows.
  virtual void EndAll(const Status& status, Completions* completed) = 0;

  // "send 8 bytes from rank 0 to rank 1 with tag 5", for errors.
  std::string Describe(const Call& call) const;
  // The error of a receive that got another size than it stated; nothing: more, the network does not say how much.
  Status WrongSize(const Call& call, std::optional<size_t> got) const;

 private:
  bool TryDrive();
  void Post(const Call& call);
  void DriveQueued();
  // False where another thread drives, or nothing happened.
  bool DriveOnce();
  // Ends driving, then runs the callbacks.
  void LetGo(Completions* completed);
  void StartUnlessAborted(const Call& call, Completions* completed);
  bool StartQueued(Completions* completed) EXCLUDES(mu_);
  void StartLater(Completions* completed) EXCLUDES(mu_);

  std::atomic<bool> driving_{false};
  std::vector<Call> starting_;  // the driver's; empty but while later_ is started
  Status abort_status_;         // the driver's

  std::atomic<bool> queued_any_{false};  // calls or an abort wait for the driver
  std::atomic<bool> later_any_{false};   // receives wait for the next poll
  Mutex mu_;
  std::vector<Call> queued_ GUARDED_BY(mu_);
  std::vector<Call> later_ GUARDED_BY(mu_);
  Status aborted_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_DRIVEN_TRANSPORT_H_
