#include "comm/in_process/hub.h"

#include <cstring>
#include <utility>

#include "comm/message_size.h"

namespace dfrun::comm {

void InProcessHub::CompleteLocked(int rank, Callback done, Status status) {
  queues_[rank].completed.push_back({done, std::move(status)});
  queues_[rank].any.store(true, std::memory_order_release);
}

void InProcessHub::Complete(int rank, Callback done, Status status) {
  MutexLock lock(mu_);
  CompleteLocked(rank, done, std::move(status));
}

bool InProcessHub::Meet(const Key& key, int rank, const HalfMessage& half, Waiting InProcessHub::*others,
                        Waiting InProcessHub::*own, HalfMessage* other) {
  MutexLock lock(mu_);
  if (!queues_[rank].aborted.ok()) {
    CompleteLocked(rank, half.done, queues_[rank].aborted);
    return false;
  }
  auto waiting = (this->*others).find(key);
  if (waiting == (this->*others).end()) {
    (this->*own)[key].push_back(half);
    return false;
  }
  *other = waiting->second.front();
  waiting->second.pop_front();
  if (waiting->second.empty()) (this->*others).erase(waiting);
  return true;
}

void InProcessHub::Deliver(const Key& key, const HalfMessage& send, const HalfMessage& recv) {
  Status received;
  if (send.bytes != recv.bytes) {
    received = OtherSize({key.to, key.from, key.tag, recv.bytes, send.bytes});
  } else if (send.bytes > 0) {
    std::memcpy(recv.data, send.data, send.bytes);
  }
  Complete(key.to, recv.done, std::move(received));
  Complete(key.from, send.done, Status());
}

void InProcessHub::Send(const Key& key, const HalfMessage& half) {
  HalfMessage recv;
  if (Meet(key, key.from, half, &InProcessHub::recvs_, &InProcessHub::sends_, &recv)) Deliver(key, half, recv);
}

void InProcessHub::Recv(const Key& key, const HalfMessage& half) {
  HalfMessage send;
  if (Meet(key, key.to, half, &InProcessHub::sends_, &InProcessHub::recvs_, &send)) Deliver(key, send, half);
}

bool InProcessHub::RunCompleted(int rank) {
  Queue& queue = queues_[rank];
  if (!queue.any.load(std::memory_order_acquire)) return false;
  std::deque<Completion> completed;
  {
    MutexLock lock(mu_);
    completed.swap(queue.completed);
    queue.any.store(false, std::memory_order_relaxed);
  }
  for (Completion& c : completed) c.done(std::move(c.status));
  return !completed.empty();
}

void InProcessHub::AbortHalves(Waiting& waiting, int Key::*side, int rank, const Status& status) {
  for (auto it = waiting.begin(); it != waiting.end();) {
    if (it->first.*side != rank) {
      ++it;
      continue;
    }
    for (const HalfMessage& half : it->second) CompleteLocked(rank, half.done, status);
    it = waiting.erase(it);
  }
}

void InProcessHub::Abort(int rank, const Status& status) {
  MutexLock lock(mu_);
  if (!queues_[rank].aborted.ok()) return;
  queues_[rank].aborted = status;
  AbortHalves(sends_, &Key::from, rank, status);
  AbortHalves(recvs_, &Key::to, rank, status);
}

}  // namespace dfrun::comm
