#include "comm/rendezvous/channel_drain.h"

#include <algorithm>
#include <utility>

#include "comm/rendezvous/received_once.h"

namespace dfrun::comm {

// A tensor with a header that no node takes.
// Owns: itself, until the tensor has arrived.
struct ChannelDrain::DroppedValue {
  ChannelDrain& owner;
  Tensor value;
  bool is_dead = false;
  static void Came(void* arg, Status status) {
    const std::unique_ptr<DroppedValue> self(static_cast<DroppedValue*>(arg));
    self->owner.OneCame(status);
  }
};

ChannelDrain::~ChannelDrain() = default;

void ChannelDrain::StartStep(std::span<const ChannelEndpoint> ends) {
  if (turns_ == nullptr) MakeTurns(ends);
  for (size_t i = 0; i < num_turns_; ++i) turns_[i].taken.store(false, std::memory_order_relaxed);
  MutexLock lock(mu_);
  status_ = Status();
  held_ = nullptr;
}

void ChannelDrain::MakeTurns(std::span<const ChannelEndpoint> ends) {
  turns_ = std::make_unique<Turn[]>(ends.size());
  num_turns_ = ends.size();
  if (ends.empty()) return;
  const auto by_channel = [](const ChannelEndpoint& a, const ChannelEndpoint& b) { return a.channel < b.channel; };
  const auto [first, last] = std::minmax_element(ends.begin(), ends.end(), by_channel);
  first_channel_ = first->channel;
  turn_of_.assign(static_cast<size_t>(last->channel - first->channel) + 1, -1);
  for (size_t i = 0; i < ends.size(); ++i) {
    turns_[i].owner = this;
    turn_of_[static_cast<size_t>(ends[i].channel - first_channel_)] = static_cast<int32_t>(i);
  }
}

bool ChannelDrain::TakeRecv(int32_t channel, Callback* done) {
  Turn& turn = Find(channel);
  if (turn.taken.exchange(true, std::memory_order_acq_rel)) return false;
  turn.done = *done;
  *done = {[](void* arg, Status status) {
             auto* own = static_cast<Turn*>(arg);
             own->owner->Arrived(*own, std::move(status));
           },
           &turn};
  return true;
}

void ChannelDrain::Arrived(Turn& turn, Status status) {
  if (status.code() != Code::kCancelled) return turn.done(std::move(status));
  Status failed;
  {
    MutexLock lock(mu_);
    if (status_.ok()) {
      turn.next_held = std::exchange(held_, &turn);
      return;
    }
    failed = status_;
  }
  turn.done(std::move(failed));
}

void ChannelDrain::ReleaseHeld(const Status& status) {
  Turn* held = nullptr;
  Status first;
  {
    MutexLock lock(mu_);
    if (status_.ok()) status_ = status;
    first = status_;
    held = std::exchange(held_, nullptr);
  }
  while (held != nullptr) std::exchange(held, held->next_held)->done(first);
}

Status ChannelDrain::status() const {
  MutexLock lock(mu_);
  return status_;
}

void ChannelDrain::Fail(const Status& status, std::span<const ChannelEndpoint> ends, Callback quiet) {
  quiet_ = quiet;
  awaited_.store(1, std::memory_order_relaxed);
  {
    // Set before the first turn is taken, so that a node that finds its turn taken finds the reason
    MutexLock lock(mu_);
    if (status_.ok()) status_ = status;
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].in_loop || turns_[i].taken.exchange(true, std::memory_order_acq_rel)) continue;
    ends[i].is_send ? SayNothing(ends[i]) : Drop(ends[i], turns_[i]);
  }
  ReleaseHeld(status);
}

Callback ChannelDrain::AwaitOne() {
  awaited_.fetch_add(1, std::memory_order_relaxed);
  return {[](void* arg, Status status) { static_cast<ChannelDrain*>(arg)->OneCame(status); }, this};
}

void ChannelDrain::Failed() {
  OneCame(Status());
}

void ChannelDrain::SayNothing(const ChannelEndpoint& end) {
  static constexpr char kByte = 0;
  const bool is_empty = end.static_shape && end.bytes == 0;
  transport_.Send(end.peer, {end.channel, slot_}, &kByte, is_empty ? 1 : 0, AwaitOne());
}

void ChannelDrain::Drop(const ChannelEndpoint& end, Turn& turn) {
  const MessageTag tag{end.channel, slot_};
  if (!end.static_shape) {
    AwaitOne();
    auto value = std::make_unique<DroppedValue>(DroppedValue{*this, Tensor()});
    DroppedValue& dropped = *value.release();
    return ReceivedOnce::Post(
        transport_, end.peer, tag,
        {0, &SystemAllocator(), &dropped.value, &dropped.is_dead, {&DroppedValue::Came, &dropped}});
  }
  AwaitOne();
  turn.dropped = std::make_unique<char[]>(end.bytes);
  transport_.Recv(end.peer, tag, turn.dropped.get(), end.bytes,
                  {[](void* arg, Status status) {
                     auto* own = static_cast<Turn*>(arg);
                     own->dropped.reset();
                     own->owner->OneCame(status);
                   },
                   &turn});
}

// Counts a message that has ended. After an error of the network no message will come, so the other calls are aborted
// too.
void ChannelDrain::OneCame(const Status& status) {
  if (!status.ok() && status.code() != Code::kCancelled) transport_.Abort(status);
  if (awaited_.fetch_sub(1, std::memory_order_acq_rel) == 1) quiet_(Status());
}

}  // namespace dfrun::comm
