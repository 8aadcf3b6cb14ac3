// Connects the ranks of one process: a message is copied from the sender's memory to the receiver's.
#ifndef DFRUN_COMM_IN_PROCESS_HUB_H_
#define DFRUN_COMM_IN_PROCESS_HUB_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "comm/message_tag.h"
#include "src/base/mutex.h"
#include "src/framework/rendezvous.h"

namespace dfrun::comm {

// One half of a message: a Send or a Recv that waits for the other.
struct HalfMessage {
  void* data = nullptr;  // never written to in a Send
  size_t bytes = 0;
  Callback done;
};

// Thread safety: all methods from any thread.
class InProcessHub {
 public:
  struct Key {
    int from;
    int to;
    MessageTag tag;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler writes for it
  };

  explicit InProcessHub(int ranks) : queues_(ranks) {}
  InProcessHub(const InProcessHub&) = delete;
  InProcessHub& operator=(const InProcessHub&) = delete;

  int ranks() const { return static_cast<int>(queues_.size()); }
  void Send(const Key& key, const HalfMessage& half) EXCLUDES(mu_);
  void Recv(const Key& key, const HalfMessage& half) EXCLUDES(mu_);
  // Runs the callbacks of calls of `rank` that others completed. True if there were any.
  bool RunCompleted(int rank) EXCLUDES(mu_);
  // Completes, with `status`, every call of `rank` that still waits, and every later one.
  void Abort(int rank, const Status& status) EXCLUDES(mu_);

 private:
  struct Completion {
    Callback done;
    Status status;
  };
  struct Queue {
    std::deque<Completion> completed;
    std::atomic<bool> any{false};  // spares an idle rank the lock
    Status aborted;
  };
  using Waiting = std::map<Key, std::deque<HalfMessage>>;

  void Complete(int rank, Callback done, Status status) EXCLUDES(mu_);
  void CompleteLocked(int rank, Callback done, Status status) REQUIRES(mu_);
  void AbortHalves(Waiting& waiting, int Key::*side, int rank, const Status& status) REQUIRES(mu_);
  // Pairs a half with its counterpart, or makes it wait for one. False: the rank has been aborted, and the call is
  // completed.
  bool Meet(const Key& key, int rank, const HalfMessage& half, Waiting InProcessHub::*others,
            Waiting InProcessHub::*own, HalfMessage* other) EXCLUDES(mu_);
  void Deliver(const Key& key, const HalfMessage& send, const HalfMessage& recv) EXCLUDES(mu_);

  Mutex mu_;
  Waiting sends_ GUARDED_BY(mu_);
  Waiting recvs_ GUARDED_BY(mu_);
  std::vector<Queue> queues_;  // by rank; but for `any`, guarded by mu_
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_IN_PROCESS_HUB_H_
