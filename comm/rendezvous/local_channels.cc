#include "comm/rendezvous/local_channels.h"

#include <algorithm>
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

// The one of the iteration, taken out; false if none waits.
template <class Half>
bool Take(std::vector<Half>& waiting, uint64_t iteration, Half* half) {
  auto it = std::find_if(waiting.begin(), waiting.end(), [&](const Half& h) { return h.iteration == iteration; });
  if (it == waiting.end()) return false;
  *half = std::move(*it);
  if (it != waiting.end() - 1) *it = std::move(waiting.back());
  waiting.pop_back();
  return true;
}

}  // namespace

void LocalChannels::Pass(const Sender& sender, const Receiver& receiver) {
  if (receiver.is_dead != nullptr) *receiver.is_dead = sender.is_dead;
  receiver.done(sender.is_dead ? Status() : Place(sender.value, *receiver.allocator, receiver.value));
  sender.done(Status());
}

void LocalChannels::Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) {
  Sender sender{key.iteration, is_dead ? Tensor() : value, is_dead, done};
  Receiver receiver;
  Status aborted;
  {
    MutexLock lock(mu_);
    aborted = aborted_;
    Meeting& meeting = meetings_[key.channel];
    if (aborted.ok() && !Take(meeting.receivers, key.iteration, &receiver)) {
      meeting.senders.push_back(std::move(sender));
      return;
    }
  }
  if (!aborted.ok()) return done(aborted);
  Pass(sender, receiver);
}

void LocalChannels::Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) {
  const Receiver receiver{key.iteration, &allocator, value, is_dead, done};
  Sender sender;
  Status aborted;
  {
    MutexLock lock(mu_);
    aborted = aborted_;
    Meeting& meeting = meetings_[key.channel];
    if (aborted.ok() && !Take(meeting.senders, key.iteration, &sender)) {
      meeting.receivers.push_back(receiver);
      return;
    }
  }
  if (!aborted.ok()) return done(aborted);
  Pass(sender, receiver);
}

void LocalChannels::Abort(const Status& status) {
  std::unordered_map<int32_t, Meeting> meetings;
  Status first;
  {
    MutexLock lock(mu_);
    if (aborted_.ok()) aborted_ = status;
    first = aborted_;
    meetings.swap(meetings_);
  }
  for (const auto& [channel, meeting] : meetings) {
    for (const Sender& sender : meeting.senders) sender.done(first);
    for (const Receiver& receiver : meeting.receivers) receiver.done(first);
  }
}

void LocalChannels::Reset() {
  MutexLock lock(mu_);
  aborted_ = Status();
}

}  // namespace dfrun::comm
