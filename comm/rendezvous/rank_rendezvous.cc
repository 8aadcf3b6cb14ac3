#include "comm/rendezvous/rank_rendezvous.h"

#include <memory>
#include <utility>

#include "comm/rendezvous/incoming_value.h"
#include "comm/rendezvous/meeting.h"
#include "comm/rendezvous/outgoing_value.h"

namespace dfrun::comm {

namespace {

// Deletes itself when its value has arrived.
struct ReceivedOnce : IncomingValue {
  explicit ReceivedOnce(const Receiver& r) : receiver(r) {
    arrived = [](IncomingValue& in, Status status) {
      const std::unique_ptr<ReceivedOnce> self(static_cast<ReceivedOnce*>(&in));
      const Receiver& to = self->receiver;
      to.done(status.ok() ? self->Take(to.value, to.is_dead) : std::move(status));
    };
  }
  const Receiver receiver;
};

}  // namespace

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
  auto in = std::make_unique<ReceivedOnce>(Receiver{0, &allocator, value, is_dead, done});
  in.release()->Post(transport_, key.peer, tag, allocator);
}

void RankRendezvous::Abort(const Status& status) {
  local_.Abort(status);
  if (transport_.size() > 1) transport_.Abort(status);
}

}  // namespace dfrun::comm
