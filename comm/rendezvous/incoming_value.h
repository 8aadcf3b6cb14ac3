// An IncomingValue receives a tensor with a header.
#ifndef DFRUN_COMM_RENDEZVOUS_INCOMING_VALUE_H_
#define DFRUN_COMM_RENDEZVOUS_INCOMING_VALUE_H_

#include <string>
#include <utility>

#include "comm/rendezvous/wire_value.h"
#include "comm/transport.h"

namespace dfrun::comm {

// Lifetime: may be reused after `arrived` has run.
// Thread safety: one thread posts it.
struct IncomingValue {
  // Runs when header and payload have been received, or could not be. The object then belongs to its owner again.
  void (*arrived)(IncomingValue& self, Status status) = nullptr;
  void* owner = nullptr;

  // Receives the next header that `peer` sends with `tag`, and then its payload, into a tensor of `allocator`.
  void Post(Transport& transport, int peer, MessageTag tag, Allocator& allocator) {
    Bind(transport, peer, tag, allocator);
    transport.Recv(peer, tag, &header_, kHeaderBytes, OnHeader());
  }
  // Posts by Transport::RecvLater().
  void PostLater(Transport& transport, int peer, MessageTag tag, Allocator& allocator) {
    Bind(transport, peer, tag, allocator);
    transport.RecvLater(peer, tag, &header_, kHeaderBytes, OnHeader());
  }
  // Returns the received value's iteration. Take() returns whether the value is dead, and otherwise the tensor;
  // DataLoss for an invalid header.
  uint64_t iteration() const { return header_.iteration; }
  Status Take(Tensor* value, bool* is_dead) {
    *is_dead = header_.is_dead();
    if (header_.is_dead()) return Status();
    if (header_.is_alone() || header_.is_packed()) return DecodeValue(header_, packed_, *allocator_, value);
    *value = std::move(value_);
    return Status();
  }

 private:
  void Bind(Transport& transport, int peer, MessageTag tag, Allocator& allocator) {
    transport_ = &transport;
    peer_ = peer;
    tag_ = tag;
    allocator_ = &allocator;
  }
  Callback OnHeader() {
    return {[](void* arg, Status s) { static_cast<IncomingValue*>(arg)->TakeHeader(std::move(s)); }, this};
  }
  void TakeHeader(Status status) {
    if (!status.ok() || header_.is_alone()) return arrived(*this, std::move(status));
    void* target = nullptr;
    size_t bytes = 0;
    if (header_.is_packed()) {
      bytes = header_.packed_bytes();
      packed_.resize(bytes);
      target = packed_.data();
    } else {
      if (status = DecodeValue(header_, {}, *allocator_, &value_); !status.ok()) {
        return arrived(*this, std::move(status));
      }
      bytes = value_.num_bytes();
      target = value_.raw();
    }
    transport_->Recv(peer_, tag_, target, bytes,
                     {[](void* arg, Status s) {
                        auto& self = *static_cast<IncomingValue*>(arg);
                        self.arrived(self, std::move(s));
                      },
                      this});
  }

  Transport* transport_ = nullptr;
  int peer_ = 0;
  MessageTag tag_;
  Allocator* allocator_ = nullptr;
  WireHeader header_;
  std::string packed_;
  Tensor value_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_INCOMING_VALUE_H_
