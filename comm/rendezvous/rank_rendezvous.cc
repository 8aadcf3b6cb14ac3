#include "comm/rendezvous/rank_rendezvous.h"

#include <memory>
#include <utility>

namespace dfrun::comm {

// A value with a header on its way in: lives until its payload is there.
struct RankRendezvous::Incoming {
  Transport& transport;
  int peer;
  uint32_t tag;
  Allocator& allocator;
  Tensor* value;
  bool* is_dead;
  Callback done;
  WireHeader header = {};
  std::string packed = {};

  void End(Status status) {
    std::unique_ptr<Incoming> ended(this);
    done(std::move(status));
  }
};

void RankRendezvous::StartStep(int64_t step_id) {
  parity_ = static_cast<uint32_t>(step_id & 1);
  local_.Reset();
  loops_.StartStep();
}

void RankRendezvous::Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) {
  if (key.peer == transport_.rank()) return local_.Send(key, value, is_dead, done);
  const uint32_t tag = Tag(key.channel);
  if (key.static_shape) {
    if (is_dead || !IsPlain(value.dtype())) {
      return done(Internal("channel ", key.channel, " carries plain values of a static shape, and was given ",
                           is_dead ? "a dead one" : value.ToString(0)));
    }
    return transport_.Send(key.peer, tag, value.raw(), value.num_bytes(), done);
  }
  if (key.iteration != 0) return loops_.Send(key, tag, value, is_dead, done);
  auto out = std::make_unique<OutgoingValue>();
  if (Status s = out->Prepare(value, is_dead, 0); !s.ok()) return done(std::move(s));
  out->done = done;
  out->left = [](OutgoingValue& gone, Status status) {
    const std::unique_ptr<OutgoingValue> ended(&gone);
    ended->done(std::move(status));
  };
  out.release()->Post(transport_, key.peer, tag);
}

void RankRendezvous::Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) {
  if (key.peer == transport_.rank()) return local_.Recv(key, allocator, value, is_dead, done);
  const uint32_t tag = Tag(key.channel);
  if (key.static_shape) {
    if (!value->initialized()) {
      return done(Internal("channel ", key.channel, " has a static shape, but no place for its value"));
    }
    return transport_.Recv(key.peer, tag, value->raw(), value->num_bytes(), done);
  }
  if (key.iteration != 0) return loops_.Recv(key, tag, allocator, value, is_dead, done);
  auto* in = new Incoming{transport_, key.peer, tag, allocator, value, is_dead, done};
  transport_.Recv(key.peer, tag, &in->header, kHeaderBytes,
                  {[](void* arg, Status status) { OnHeader(static_cast<Incoming*>(arg), std::move(status)); }, in});
}

void RankRendezvous::OnHeader(Incoming* in, Status status) {
  if (!status.ok()) return in->End(std::move(status));
  *in->is_dead = in->header.is_dead();
  if (in->header.is_dead()) return in->End(Status());
  const uint64_t bytes = in->header.bytes_behind();
  if (in->header.is_packed()) {
    in->packed.resize(bytes);
    if (bytes == 0) return OnPacked(in, Status());
    return in->transport.Recv(in->peer, in->tag, in->packed.data(), bytes,
                              {[](void* arg, Status s) { OnPacked(static_cast<Incoming*>(arg), std::move(s)); }, in});
  }
  Result<Tensor> made = DecodeValue(in->header, {}, in->allocator);
  if (!made.ok()) return in->End(made.status());
  *in->value = *std::move(made);
  if (bytes == 0) return in->End(Status());
  in->transport.Recv(in->peer, in->tag, in->value->raw(), bytes,
                     {[](void* arg, Status s) { static_cast<Incoming*>(arg)->End(std::move(s)); }, in});
}

void RankRendezvous::OnPacked(Incoming* in, Status status) {
  if (!status.ok()) return in->End(std::move(status));
  Result<Tensor> made = DecodeValue(in->header, in->packed, in->allocator);
  if (!made.ok()) return in->End(made.status());
  *in->value = *std::move(made);
  in->End(Status());
}

void RankRendezvous::Abort(const Status& status) {
  local_.Abort(status);
  if (transport_.size() > 1) transport_.Abort(status);
}

}  // namespace dfrun::comm
