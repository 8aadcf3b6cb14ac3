// The hub that connects the ranks of one process: it copies a message from the sender's memory to the receiver's.
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

#include "comm/message_trace.h"
#include "src/base/mutex.h"
#include "src/framework/step/rendezvous.h"

namespace dfrun::comm {

// An unmatched Send or Recv, which waits for the other.
struct UnmatchedMessage {
  void* data = nullptr;  // never written to by a Send
  size_t bytes = 0;
  Callback done;
  bool is_send = false;
  int64_t posted_ns = 0;  // 0: the call is not traced
};

// A range of memory that another rank has registered.
struct RemoteBytes {
  int peer;
  uint64_t key;
  size_t offset;
  size_t bytes;
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
  void Send(const Key& key, const UnmatchedMessage& half) EXCLUDES(mu_);
  void Recv(const Key& key, const UnmatchedMessage& half) EXCLUDES(mu_);
  // Lets others read this memory of `rank`, until Unregister() of the key that this returns.
  uint64_t Register(int rank, const void* data, size_t bytes) EXCLUDES(mu_);
  void Unregister(uint64_t key) EXCLUDES(mu_);
  // Copies a range that `from.peer` has registered to `data`, for `rank`. OutOfRange if the range exceeds the
  // registered memory; InvalidArgument if the peer has registered none under this key.
  void Get(int rank, const RemoteBytes& from, void* data, Callback done) EXCLUDES(mu_);
  // Runs the callbacks of the completed calls of `rank`, and traces those that moved their message. Returns true if
  // there were any.
  bool RunCompleted(int rank, const MessageTrace& trace) EXCLUDES(mu_);
  // Completes, with `status`, every call of `rank` that still waits, and every later one.
  void Abort(int rank, const Status& status) EXCLUDES(mu_);

 private:
  struct Completion {
    TracedCall call;
    Callback done;
    Status status;
  };
  struct Queue {
    std::deque<Completion> completed;
    std::atomic<bool> any{false};  // lets an idle rank skip the lock
    Status aborted;
  };
  struct Registered {
    int rank;
    const char* data;
    size_t bytes;
  };
  using Waiting = std::map<Key, std::deque<UnmatchedMessage>>;

  void Complete(const Key& key, int rank, const UnmatchedMessage& half, Status status) EXCLUDES(mu_);
  void CompleteLocked(const Key& key, int rank, const UnmatchedMessage& half, Status status) REQUIRES(mu_);
  void AbortHalves(Waiting& waiting, int Key::*side, int rank, const Status& status) REQUIRES(mu_);
  // Pairs a half with its counterpart, or makes it wait for one. Returns false if the rank has been aborted; the call
  // is then completed.
  bool Meet(const Key& key, int rank, const UnmatchedMessage& half, Waiting InProcessHub::*others,
            Waiting InProcessHub::*own, UnmatchedMessage* other) EXCLUDES(mu_);
  Result<const char*> Find(const RemoteBytes& from) const REQUIRES(mu_);
  void Deliver(const Key& key, const UnmatchedMessage& send, const UnmatchedMessage& recv) EXCLUDES(mu_);

  Mutex mu_;
  Waiting sends_ GUARDED_BY(mu_);
  Waiting recvs_ GUARDED_BY(mu_);
  std::map<uint64_t, Registered> registered_ GUARDED_BY(mu_);  // by key
  uint64_t next_key_ GUARDED_BY(mu_) = 1;
  std::vector<Queue> queues_;  // indexed by rank; guarded by mu_, except for `any`
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_IN_PROCESS_HUB_H_
