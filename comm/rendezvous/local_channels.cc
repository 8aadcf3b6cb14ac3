#include "comm/rendezvous/local_channels.h"

#include <utility>

namespace dfrun::comm {
namespace {

Status Place(const Tensor& from, Allocator& allocator, Tensor* to) {
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

template <class Half>
bool Take(std::unordered_map<int32_t, Half>& waiting, int32_t channel, Half* half) {
  auto it = waiting.find(channel);
  if (it == waiting.end()) return false;
  *half = std::move(it->second);
  waiting.erase(it);
  return true;
}

}  // namespace

void LocalChannels::Pass(const Sender& sender, const Receiver& receiver) {
  if (receiver.is_dead != nullptr) *receiver.is_dead = sender.is_dead;
  receiver.done(sender.is_dead ? Status() : Place(sender.value, *receiver.allocator, receiver.value));
  sender.done(Status());
}

void LocalChannels::Send(int32_t channel, const Tensor& value, bool is_dead, Callback done) {
  Sender sender{is_dead ? Tensor() : value, is_dead, done};
  Receiver receiver;
  Status aborted;
  {
    MutexLock lock(mu_);
    aborted = aborted_;
    if (aborted.ok() && !Take(receivers_, channel, &receiver)) {
      senders_.emplace(channel, std::move(sender));
      return;
    }
  }
  if (!aborted.ok()) return done(aborted);
  Pass(sender, receiver);
}

void LocalChannels::Recv(int32_t channel, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) {
  const Receiver receiver{&allocator, value, is_dead, done};
  Sender sender;
  Status aborted;
  {
    MutexLock lock(mu_);
    aborted = aborted_;
    if (aborted.ok() && !Take(senders_, channel, &sender)) {
      receivers_.emplace(channel, receiver);
      return;
    }
  }
  if (!aborted.ok()) return done(aborted);
  Pass(sender, receiver);
}

void LocalChannels::Abort(const Status& status) {
  std::unordered_map<int32_t, Sender> senders;
  std::unordered_map<int32_t, Receiver> receivers;
  Status first;
  {
    MutexLock lock(mu_);
    if (aborted_.ok()) aborted_ = status;
    first = aborted_;
    senders.swap(senders_);
    receivers.swap(receivers_);
  }
  for (const auto& [channel, sender] : senders) sender.done(first);
  for (const auto& [channel, receiver] : receivers) receiver.done(first);
}

void LocalChannels::Reset() {
  MutexLock lock(mu_);
  aborted_ = Status();
}

}  // namespace dfrun::comm
