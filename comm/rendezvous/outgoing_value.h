// An OutgoingValue sends a tensor with a header.
#ifndef DFRUN_COMM_RENDEZVOUS_OUTGOING_VALUE_H_
#define DFRUN_COMM_RENDEZVOUS_OUTGOING_VALUE_H_

#include <atomic>
#include <string>
#include <utility>

#include "comm/rendezvous/wire_value.h"
#include "comm/transport.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

// Lifetime: may be reused after `left` has run.
// Thread safety: one thread prepares and posts it.
struct OutgoingValue {
  // Runs when header and payload have been sent, or could not be. The object then belongs to its owner again.
  void (*left)(OutgoingValue& self, Status status) = nullptr;
  void* owner = nullptr;
  Callback done;
  OutgoingValue* next = nullptr;  // next in a list of its owner

  // Sets the tensor to send and its iteration. An owned tensor is kept alive, not copied.
  Status Prepare(const Tensor& value, bool is_dead, uint64_t iteration) {
    DF_TRY(EncodeValue(value, is_dead, &header_, &packed_));
    header_.iteration = iteration;
    if (!header_.is_alone() && !header_.is_packed()) value_ = value;
    return Status();
  }

  // Prepares the empty message that says that no more values come.
  void PrepareEnd() { is_end_ = true; }

  // Sends the header, then the payload. `left` may run before this returns.
  void Post(Transport& transport, int peer, MessageTag tag) {
    if (header_.is_alone() || is_end_) {
      const Callback leaves{[](void* arg, Status s) { static_cast<OutgoingValue*>(arg)->Leave(std::move(s)); }, this};
      return transport.Send(peer, tag, &header_, is_end_ ? 0 : kHeaderBytes, leaves);
    }
    const void* const payload = header_.is_packed() ? packed_.data() : value_.raw();
    const size_t bytes = header_.is_packed() ? packed_.size() : value_.num_bytes();
    const Callback sent{[](void* arg, Status s) { static_cast<OutgoingValue*>(arg)->OnPart(std::move(s)); }, this};
    parts_.store(2, std::memory_order_relaxed);
    transport.Send(peer, tag, &header_, kHeaderBytes, sent);
    transport.Send(peer, tag, payload, bytes, sent);
  }

 private:
  void OnPart(Status status) {
    {
      MutexLock lock(mu_);
      if (status_.ok()) status_ = std::move(status);
    }
    if (parts_.fetch_sub(1) == 1) Leave(TakeStatus());
  }
  void Leave(Status status) {
    value_.Reset();
    is_end_ = false;
    left(*this, std::move(status));
  }
  Status TakeStatus() {
    MutexLock lock(mu_);
    return std::exchange(status_, Status());
  }

  Tensor value_;
  WireHeader header_;
  std::string packed_;
  bool is_end_ = false;
  std::atomic<int> parts_{0};
  Mutex mu_;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_OUTGOING_VALUE_H_
