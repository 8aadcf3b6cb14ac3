// A value with a header on its way out.
#ifndef DFRUN_COMM_RENDEZVOUS_OUTGOING_VALUE_H_
#define DFRUN_COMM_RENDEZVOUS_OUTGOING_VALUE_H_

#include <atomic>
#include <string>

#include "comm/rendezvous/wire_value.h"
#include "comm/transport.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

// Used again after `left` has run. Thread safety: one thread prepares and posts it.
struct OutgoingValue {
  // Runs when header and payload have left, or failed to: then the object is its owner's again.
  void (*left)(OutgoingValue& self, Status status) = nullptr;
  void* owner = nullptr;
  Callback done;
  OutgoingValue* next = nullptr;  // in a list of its owner's

  // What is to be sent, of the iteration. Of an owned value the bytes are kept.
  Status Prepare(const Tensor& value, bool is_dead, uint64_t iteration) {
    DF_TRY(EncodeValue(value, is_dead, &header_, &packed_));
    header_.iteration = iteration;
    if (header_.bytes_behind() > 0 && !header_.is_packed()) value_ = value;
    return Status();
  }

  // Header, then payload. `left` may run before this returns.
  void Post(Transport& transport, int peer, uint32_t tag) {
    const size_t bytes = header_.bytes_behind();
    const void* const payload = header_.is_packed() ? packed_.data() : value_.raw();
    parts_.store(bytes > 0 ? 2 : 1);
    transport.Send(peer, tag, &header_, kHeaderBytes, {&OutgoingValue::OnSent, this});
    if (bytes > 0) transport.Send(peer, tag, payload, bytes, {&OutgoingValue::OnSent, this});
  }

 private:
  static void OnSent(void* arg, Status status) {
    auto* out = static_cast<OutgoingValue*>(arg);
    {
      MutexLock lock(out->mu_);
      if (out->status_.ok()) out->status_ = std::move(status);
    }
    if (out->parts_.fetch_sub(1) > 1) return;
    out->value_.Reset();
    out->left(*out, out->TakeStatus());
  }
  Status TakeStatus() {
    MutexLock lock(mu_);
    Status status = std::move(status_);
    status_ = Status();
    return status;
  }

  Tensor value_;
  WireHeader header_;
  std::string packed_;
  std::atomic<int> parts_{1};
  Mutex mu_;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_OUTGOING_VALUE_H_
