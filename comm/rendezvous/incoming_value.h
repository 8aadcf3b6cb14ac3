// A value with a header on its way in.
#ifndef DFRUN_COMM_RENDEZVOUS_INCOMING_VALUE_H_
#define DFRUN_COMM_RENDEZVOUS_INCOMING_VALUE_H_

#include <string>
#include <utility>

#include "comm/rendezvous/meeting.h"
#include "comm/rendezvous/wire_value.h"
#include "comm/transport.h"

namespace dfrun::comm {

// Used again after `arrived` has run. Thread safety: one thread posts it.
struct IncomingValue {
  // Runs when header and payload are there, or failed to come: then the object is its owner's again.
  void (*arrived)(IncomingValue& self, Status status) = nullptr;
  void* owner = nullptr;

  // Receives the next header that `peer` sends with `tag`, and what is behind it, into a tensor of `allocator`.
  void Post(Transport& transport, int peer, uint32_t tag, Allocator& allocator) {
    Bind(transport, peer, tag, allocator);
    transport.Recv(peer, tag, &header_, kHeaderBytes, OnHeader());
  }
  // As Transport::RecvLater().
  void PostLater(Transport& transport, int peer, uint32_t tag, Allocator& allocator) {
    Bind(transport, peer, tag, allocator);
    transport.RecvLater(peer, tag, &header_, kHeaderBytes, OnHeader());
  }
  // What has arrived.
  SentValue Take() { return {header_.iteration, std::move(value_), header_.is_dead()}; }

 private:
  void Bind(Transport& transport, int peer, uint32_t tag, Allocator& allocator) {
    transport_ = &transport;
    peer_ = peer;
    tag_ = tag;
    allocator_ = &allocator;
  }
  Callback OnHeader() {
    return {[](void* arg, Status s) { static_cast<IncomingValue*>(arg)->TakeHeader(std::move(s)); }, this};
  }
  void TakeHeader(Status status) {
    if (!status.ok() || header_.is_dead()) return arrived(*this, std::move(status));
    const uint64_t bytes = header_.bytes_behind();
    void* place = nullptr;
    if (header_.is_packed()) {
      packed_.resize(bytes);
      place = packed_.data();
    } else {
      if (status = Decode(); !status.ok()) return arrived(*this, std::move(status));
      place = value_.raw();
    }
    if (bytes == 0) return TakePayload(Status());
    transport_->Recv(peer_, tag_, place, bytes,
                     {[](void* arg, Status s) { static_cast<IncomingValue*>(arg)->TakePayload(std::move(s)); }, this});
  }
  void TakePayload(Status status) {
    if (status.ok() && header_.is_packed()) status = Decode();
    arrived(*this, std::move(status));
  }
  Status Decode() {
    DF_ASSIGN(value_, DecodeValue(header_, packed_, *allocator_));
    return Status();
  }

  Transport* transport_ = nullptr;
  int peer_ = 0;
  uint32_t tag_ = 0;
  Allocator* allocator_ = nullptr;
  WireHeader header_;
  std::string packed_;
  Tensor value_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_INCOMING_VALUE_H_
