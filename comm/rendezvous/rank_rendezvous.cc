#include "comm/rendezvous/rank_rendezvous.h"

#include <memory>
#include <utility>

#include "comm/rendezvous/outgoing_value.h"
#include "comm/rendezvous/received_once.h"

namespace dfrun::comm {

void RankRendezvous::StartStep(ErrorScope scope) {
  scope_ = scope;
  local_.Reset();
  loops_.StartStep(scope);
  if (scope == ErrorScope::kStep) failing_.StartStep(ends_);
}

void RankRendezvous::EndStep(const Status& status, Callback quiet) {
  local_.Abort(status);
  failing_.Fail(status, ends_, quiet);
  for (const ChannelEndpoint& end : ends_) {
    if (end.in_loop) loops_.EndStep(end, Tag(end.channel), status, failing_.AwaitOne());
  }
  failing_.Failed();
}

void RankRendezvous::Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) {
  if (key.peer == transport_.rank()) return local_.Send(key, value, is_dead, done);
  const MessageTag tag = Tag(key.channel);
  if (key.iteration != 0) return loops_.Send(key, tag, value, is_dead, done);
  if (key.static_shape) {
    if (is_dead || !IsPlain(value.dtype())) {
      return done(Internal("channel ", key.channel, " carries plain values of a static shape, and was given ",
                           is_dead ? "a dead one" : value.ToString(0)));
    }
    if (!TakeSend(key.channel)) return done(failing_.status());
    return transport_.Send(key.peer, tag, value.raw(), value.num_bytes(), done);
  }
  auto out = std::make_unique<OutgoingValue>();
  if (Status s = out->Prepare(value, is_dead, 0); !s.ok()) return done(std::move(s));
  if (!TakeSend(key.channel)) return done(failing_.status());
  out->done = done;
  out->left = [](OutgoingValue& gone, Status status) {
    const std::unique_ptr<OutgoingValue> ended(&gone);
    ended->done(std::move(status));
  };
  out.release()->Post(transport_, key.peer, tag);
}

void RankRendezvous::Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) {
  if (key.peer == transport_.rank()) return local_.Recv(key, allocator, value, is_dead, done);
  const MessageTag tag = Tag(key.channel);
  if (key.iteration != 0) return loops_.Recv(key, tag, allocator, value, is_dead, done);
  if (key.static_shape && !value->initialized()) {
    return done(Internal("channel ", key.channel, " has a static shape, but no place for its value"));
  }
  if (scope_ == ErrorScope::kStep && !failing_.TakeRecv(key.channel, &done)) return done(failing_.status());
  if (key.static_shape) {
    return transport_.Recv(key.peer, tag, value->raw(), value->num_bytes(), done);
  }
  ReceivedOnce::Post(transport_, key.peer, tag, {0, &allocator, value, is_dead, done});
}

void RankRendezvous::Abort(const Status& status) {
  local_.Abort(status);
  if (transport_.size() > 1) transport_.Abort(status);
  if (scope_ == ErrorScope::kStep) {
    failing_.ReleaseHeld(status);
    loops_.ReleaseHeld(status);
  }
}

}  // namespace dfrun::comm
