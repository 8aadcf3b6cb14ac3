#include "comm/rendezvous/rank_rendezvous.h"

#include <atomic>
#include <memory>
#include <utility>

namespace dfrun::comm {

// A value with a header: lives until header and payload have left.
struct RankRendezvous::Outgoing {
  Tensor value;  // keeps an owned value's bytes
  WireHeader header;
  std::string packed;
  Callback done;
  std::atomic<int> parts{1};
  Mutex mu;
  Status status GUARDED_BY(mu);

  static void OnSent(void* arg, Status status) {
    auto* out = static_cast<Outgoing*>(arg);
    {
      MutexLock lock(out->mu);
      if (out->status.ok()) out->status = std::move(status);
    }
    if (out->parts.fetch_sub(1) > 1) return;
    std::unique_ptr<Outgoing> ended(out);
    out->done(out->Final());
  }
  Status Final() {
    MutexLock lock(mu);
    return std::move(status);
  }
};

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
}

void RankRendezvous::Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) {
  if (key.peer == transport_.rank()) return local_.Send(key.channel, value, is_dead, done);
  const uint32_t tag = Tag(key.channel);
  if (key.static_shape) {
    if (is_dead || !IsPlain(value.dtype())) {
      return done(Internal("channel ", key.channel, " carries plain values of a static shape, and was given ",
                           is_dead ? "a dead one" : value.ToString(0)));
    }
    return transport_.Send(key.peer, tag, value.raw(), value.num_bytes(), done);
  }
  auto out = std::make_unique<Outgoing>();
  if (Status s = EncodeValue(value, is_dead, &out->header, &out->packed); !s.ok()) return done(std::move(s));
  const bool packed = out->header.is_packed();
  const size_t bytes = out->header.payload_bytes;
  if (!is_dead && !packed) out->value = value;
  out->done = done;
  out->parts = bytes > 0 ? 2 : 1;
  Outgoing* o = out.release();  // gone once its last part has left
  const void* payload = packed ? o->packed.data() : o->value.raw();
  transport_.Send(key.peer, tag, &o->header, kHeaderBytes, {&Outgoing::OnSent, o});
  if (bytes > 0) transport_.Send(key.peer, tag, payload, bytes, {&Outgoing::OnSent, o});
}

void RankRendezvous::Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) {
  if (key.peer == transport_.rank()) return local_.Recv(key.channel, allocator, value, is_dead, done);
  const uint32_t tag = Tag(key.channel);
  if (key.static_shape) {
    if (!value->initialized()) {
      return done(Internal("channel ", key.channel, " has a static shape, but no place for its value"));
    }
    return transport_.Recv(key.peer, tag, value->raw(), value->num_bytes(), done);
  }
  auto* in = new Incoming{transport_, key.peer, tag, allocator, value, is_dead, done};
  transport_.Recv(key.peer, tag, &in->header, kHeaderBytes,
                  {[](void* arg, Status status) { OnHeader(static_cast<Incoming*>(arg), std::move(status)); }, in});
}

void RankRendezvous::OnHeader(Incoming* in, Status status) {
  if (!status.ok()) return in->End(std::move(status));
  *in->is_dead = in->header.is_dead();
  if (in->header.is_dead()) return in->End(Status());
  const uint64_t bytes = in->header.payload_bytes;
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
