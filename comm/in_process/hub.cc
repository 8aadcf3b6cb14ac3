#include "comm/in_process/hub.h"

#include <cstring>
#include <utility>

#include "comm/message_size.h"

namespace dfrun::comm {

void InProcessHub::CompleteLocked(const Key& key, int rank, const UnmatchedMessage& half, Status status) {
  const TracedCall call{half.is_send, half.is_send ? key.to : key.from, key.tag, half.bytes, half.posted_ns};
  queues_[rank].completed.push_back({call, half.done, std::move(status)});
  queues_[rank].any.store(true, std::memory_order_release);
}

void InProcessHub::Complete(const Key& key, int rank, const UnmatchedMessage& half, Status status) {
  MutexLock lock(mu_);
  CompleteLocked(key, rank, half, std::move(status));
}

bool InProcessHub::Meet(const Key& key, int rank, const UnmatchedMessage& half, Waiting InProcessHub::*others,
                        Waiting InProcessHub::*own, UnmatchedMessage* other) {
  MutexLock lock(mu_);
  if (!queues_[rank].aborted.ok()) {
    CompleteLocked(key, rank, half, queues_[rank].aborted);
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

void InProcessHub::Deliver(const Key& key, const UnmatchedMessage& send, const UnmatchedMessage& recv) {
  Status received;
  if (send.bytes != recv.bytes) {
    received = OtherSize({key.to, key.from, key.tag, recv.bytes, send.bytes});
  } else if (send.bytes > 0) {
    std::memcpy(recv.data, send.data, send.bytes);
  }
  Complete(key, key.to, recv, std::move(received));
  Complete(key, key.from, send, Status());
}

void InProcessHub::Send(const Key& key, const UnmatchedMessage& half) {
  UnmatchedMessage recv;
  if (Meet(key, key.from, half, &InProcessHub::recvs_, &InProcessHub::sends_, &recv)) Deliver(key, half, recv);
}

void InProcessHub::Recv(const Key& key, const UnmatchedMessage& half) {
  UnmatchedMessage send;
  if (Meet(key, key.to, half, &InProcessHub::sends_, &InProcessHub::recvs_, &send)) Deliver(key, send, half);
}

uint64_t InProcessHub::Register(int rank, const void* data, size_t bytes) {
  MutexLock lock(mu_);
  registered_[next_key_] = {rank, static_cast<const char*>(data), bytes};
  return next_key_++;
}

void InProcessHub::Unregister(uint64_t key) {
  MutexLock lock(mu_);
  registered_.erase(key);
}

Result<const char*> InProcessHub::Find(const RemoteBytes& from) const {
  const auto found = registered_.find(from.key);
  if (found == registered_.end() || found->second.rank != from.peer) {
    return InvalidArgument("rank ", from.peer, " has registered no memory of the key ", from.key);
  }
  const size_t there = found->second.bytes;
  if (from.offset > there || from.bytes > there - from.offset) {
    return Error(Code::kOutOfRange, "read ", from.bytes, " bytes at ", from.offset, " of the ", there, " that rank ",
                 from.peer, " has registered");
  }
  return found->second.data + from.offset;
}

void InProcessHub::Get(int rank, const RemoteBytes& from, void* data, Callback done) {
  Status status;
  const char* source = nullptr;
  {
    MutexLock lock(mu_);
    status = queues_[rank].aborted;
    if (status.ok()) {
      Result<const char*> found = Find(from);
      status = found.status();
      if (found.ok()) source = *found;
    }
  }
  // The peer keeps the memory while it may be read, so no lock is needed.
  if (status.ok() && from.bytes > 0) std::memcpy(data, source, from.bytes);
  Complete({from.peer, rank, {}}, rank, {.done = done}, std::move(status));
}

bool InProcessHub::RunCompleted(int rank, const MessageTrace& trace) {
  Queue& queue = queues_[rank];
  if (!queue.any.load(std::memory_order_acquire)) return false;
  std::deque<Completion> completed;
  {
    MutexLock lock(mu_);
    completed.swap(queue.completed);
    queue.any.store(false, std::memory_order_relaxed);
  }
  for (Completion& c : completed) {
    if (c.status.ok()) trace.Completed(c.call);
    c.done(std::move(c.status));
  }
  return !completed.empty();
}

void InProcessHub::AbortHalves(Waiting& waiting, int Key::*side, int rank, const Status& status) {
  for (auto it = waiting.begin(); it != waiting.end();) {
    if (it->first.*side != rank) {
      ++it;
      continue;
    }
    for (const UnmatchedMessage& half : it->second) CompleteLocked(it->first, rank, half, status);
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
