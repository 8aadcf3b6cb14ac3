// PendingPairs pairs the Sends and Recvs of a channel by iteration.
#ifndef DFRUN_COMM_RENDEZVOUS_PENDING_PAIRS_H_
#define DFRUN_COMM_RENDEZVOUS_PENDING_PAIRS_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/framework/step/rendezvous.h"

namespace dfrun::comm {

// A value that waits for its Recv. The iteration is 0 outside of loops.
struct SentValue {
  uint64_t iteration = 0;
  Tensor value = {};  // empty if the value is dead
  bool is_dead = false;
  Callback done = {};  // callback of the Send; empty for a value from another rank
};

// A Recv with the arguments of Rendezvous::Recv.
struct Receiver {
  uint64_t iteration = 0;
  Allocator* allocator = nullptr;
  Tensor* value = nullptr;
  bool* is_dead = nullptr;
  Callback done = {};

  // Completes the Recv of a value without a static shape.
  void Take(SentValue sent) const {
    *is_dead = sent.is_dead;
    *value = std::move(sent.value);
    done(Status());
  }
};

// The waiting Sends and Recvs of a channel. They are few: at most one outside of loops, and one per iteration in a
// loop.
// Thread safety: none.
class PendingPairs {
 public:
  // Sets `receiver` to the Recv that waits for the value and returns true; or makes the value wait and returns false.
  bool Arrive(SentValue& sent, Receiver* receiver) {
    if (FindReceiver(sent.iteration, receiver)) return true;
    Keep(std::move(sent));
    return false;
  }
  // Sets `sent` to the value that waits for the receiver and returns true; or makes the receiver wait and returns
  // false.
  bool Ask(const Receiver& receiver, SentValue* sent) {
    if (TakeOut(sent_, receiver.iteration, sent)) return true;
    receivers_.push_back(receiver);
    return false;
  }

  // FindReceiver() and Keep() are the two halves of Arrive(), for a value that has no memory of its own yet.
  bool FindReceiver(uint64_t iteration, Receiver* receiver) { return TakeOut(receivers_, iteration, receiver); }
  void Keep(SentValue sent) { sent_.push_back(std::move(sent)); }
  const std::vector<Receiver>& receivers() const { return receivers_; }
  const std::vector<SentValue>& sent() const { return sent_; }
  std::vector<Receiver> TakeReceivers() { return std::exchange(receivers_, {}); }
  void ForgetSent() { sent_.clear(); }

 private:
  template <class Half>
  static bool TakeOut(std::vector<Half>& waiting, uint64_t iteration, Half* half) {
    auto it = std::find_if(waiting.begin(), waiting.end(), [&](const Half& h) { return h.iteration == iteration; });
    if (it == waiting.end()) return false;
    *half = std::move(*it);
    if (it != waiting.end() - 1) *it = std::move(waiting.back());
    waiting.pop_back();
    return true;
  }

  std::vector<Receiver> receivers_;
  std::vector<SentValue> sent_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_PENDING_PAIRS_H_
