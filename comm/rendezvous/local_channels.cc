#include "comm/rendezvous/local_channels.h"

#include <utility>

namespace dfrun::comm {
namespace {

Status CopyOrAllocate(const Tensor& from, Allocator& allocator, Tensor* to) {
  if (!to->initialized()) {
    DF_ASSIGN(*to, from.Owned(allocator));
    return Status();
  }
  if (to->dtype() != from.dtype() || to->num_elements() != from.num_elements()) {
    return Internal("a value ", from.dtype(), from.shape(), " was sent where ", to->dtype(), to->shape(),
                    " is received");
  }
  CopyElements(from, *to);
  return Status();
}

}  // namespace

void LocalChannels::Pass(const SentValue& sent, const Receiver& receiver) {
  if (receiver.is_dead != nullptr) *receiver.is_dead = sent.is_dead;
  receiver.done(sent.is_dead ? Status() : CopyOrAllocate(sent.value, *receiver.allocator, receiver.value));
  sent.done(Status());
}

void LocalChannels::Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) {
  SentValue sent{key.iteration, is_dead ? Tensor() : value, is_dead, done};
  Receiver receiver;
  Status aborted;
  {
    MutexLock lock(mu_);
    aborted = aborted_;
    if (aborted.ok() && !pairs_[key.channel].Arrive(sent, &receiver)) return;
  }
  if (!aborted.ok()) return done(aborted);
  Pass(sent, receiver);
}

void LocalChannels::Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) {
  const Receiver receiver{key.iteration, &allocator, value, is_dead, done};
  SentValue sent;
  Status aborted;
  {
    MutexLock lock(mu_);
    aborted = aborted_;
    if (aborted.ok() && !pairs_[key.channel].Ask(receiver, &sent)) return;
  }
  if (!aborted.ok()) return done(aborted);
  Pass(sent, receiver);
}

void LocalChannels::Abort(const Status& status) {
  std::unordered_map<int32_t, PendingPairs> pairs;
  Status first;
  {
    MutexLock lock(mu_);
    if (aborted_.ok()) aborted_ = status;
    first = aborted_;
    pairs.swap(pairs_);
  }
  for (const auto& [channel, pending] : pairs) {
    for (const SentValue& sent : pending.sent()) sent.done(first);
    for (const Receiver& receiver : pending.receivers()) receiver.done(first);
  }
}

void LocalChannels::Reset() {
  MutexLock lock(mu_);
  aborted_ = Status();
}

}  // namespace dfrun::comm
