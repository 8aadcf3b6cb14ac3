// The base class of transports over a network that one thread at a time may drive. It holds the queue of calls and
// chooses the thread that drives.
//
// A network derives from it and implements how a call is started, progressed and ended. A thread that finds another one
// driving leaves its call in the queue. The driver empties the queue before it lets go of the network, and checks it
// again afterwards.
#ifndef DFRUN_COMM_DRIVEN_TRANSPORT_H_
#define DFRUN_COMM_DRIVEN_TRANSPORT_H_

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/completions.h"
#include "comm/message_trace.h"
#include "comm/transport.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

class DrivenTransport : public Transport {
 public:
  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) final;
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) final;
  void RecvLater(int peer, MessageTag tag, void* data, size_t bytes, Callback done) final;
  void Get(int peer, std::string_view key, size_t offset, void* data, size_t bytes, Callback done) final;
  bool Poll() final;
  bool is_idle() const final { return !has_started_.load(std::memory_order_relaxed) && !has_waiting(); }
  bool ArmWake() final;
  void Abort(const Status& status) final;
  void Trace(TraceSink* sink) final { trace_.Start(sink); }

 protected:
  // The remote memory that a Get reads.
  struct Source {
    std::string key;
    size_t offset = 0;
  };
  // A Send, Recv or Get that has been called.
  struct Call {
    char* data = nullptr;  // never written to by a Send
    size_t bytes = 0;
    int peer = 0;
    MessageTag tag = {};
    bool is_send = false;
    Callback done = {};
    int64_t posted_ns = 0;           // 0: the call is not traced
    const Source* source = nullptr;  // a Get's source, valid until `done`; null for other calls
  };

  // The driving thread calls these methods, one at a time, without holding a lock. None of them runs a callback: calls
  // that have completed go to Complete(), and their callbacks run after the thread has let go of the network.

  // EnterNetwork() and LeaveNetwork() bracket a drive, for networks that only one thread of the process may use.
  virtual void EnterNetwork() {}
  virtual void LeaveNetwork() {}
  // Starts a call, which may complete at once. A Get comes only if the capabilities say remote_read.
  virtual void Start(const Call& call, Completions* completed) = 0;
  // Moves messages and completes calls. Returns true if a call completed.
  virtual bool Progress(Completions* completed) = 0;
  // Returns false if every call that was started has completed; true also if the network does not count them.
  virtual bool HasStarted() const { return true; }
  // Arms the wake_descriptor() to report whatever arrives from now on. Returns false if something may have arrived
  // already. Called only for networks with a wake_descriptor().
  virtual bool Arm() { return false; }
  // Ends every started call with `status`. A receive ends once the network can no longer write to its memory. Called
  // once; Start() is not called after it.
  virtual void EndAll(const Status& status, Completions* completed) = 0;

  // Records that a started call has ended.
  void Complete(const Call& call, Status status, Completions* completed) const {
    if (status.ok()) trace_.Completed({call.is_send, call.peer, call.tag, call.bytes, call.posted_ns});
    completed->Add(call.done, std::move(status));
  }

  // Describes a call for errors: "send 8 bytes from rank 0 to rank 1 with tag 5".
  std::string Describe(const Call& call) const;
  // Returns the error of a receive whose message had another size than stated. nullopt: the message was larger, and the
  // network does not say by how much.
  Status WrongSize(const Call& call, std::optional<size_t> got) const;

 private:
  Call NewCall(bool is_send, int peer, MessageTag tag, const void* data, size_t bytes, Callback done) const;
  struct Reading;
  bool TryDrive();
  void Post(const Call& call);
  void DriveQueued();
  // Returns false if another thread drives or if nothing happened.
  bool DriveOnce();
  // Ends driving, then runs the callbacks.
  void LetGo(Completions* completed);
  void StartUnlessAborted(const Call& call, Completions* completed);
  bool StartQueued(Completions* completed) EXCLUDES(mu_);
  void StartLater(Completions* completed) EXCLUDES(mu_);
  bool has_waiting() const {
    return queued_any_.load(std::memory_order_relaxed) || later_any_.load(std::memory_order_relaxed);
  }

  MessageTrace trace_;
  std::atomic<bool> driving_{false};
  std::atomic<bool> has_started_{false};  // written by the driver only
  std::vector<Call> starting_;            // driver only; holds the calls of later_ while they are started
  Status abort_status_;                   // driver only

  std::atomic<bool> queued_any_{false};  // calls or an abort wait for the driver
  std::atomic<bool> later_any_{false};   // receives wait for the next poll
  Mutex mu_;
  std::vector<Call> queued_ GUARDED_BY(mu_);
  std::vector<Call> later_ GUARDED_BY(mu_);
  Status aborted_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_DRIVEN_TRANSPORT_H_
