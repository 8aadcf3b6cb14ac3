#include "comm/driven_transport.h"

#include <memory>
#include <utility>

#include "comm/message_size.h"

namespace dfrun::comm {

DrivenTransport::Call DrivenTransport::NewCall(bool is_send, int peer, MessageTag tag, const void* data, size_t bytes,
                                               Callback done) const {
  return {static_cast<char*>(const_cast<void*>(data)), bytes, peer, tag, is_send, done, trace_.NowNs()};
}

void DrivenTransport::Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) {
  Post(NewCall(/*is_send=*/true, peer, tag, data, bytes, done));
}

void DrivenTransport::Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) {
  Post(NewCall(/*is_send=*/false, peer, tag, data, bytes, done));
}

void DrivenTransport::RecvLater(int peer, MessageTag tag, void* data, size_t bytes, Callback done) {
  MutexLock lock(mu_);
  later_.push_back(NewCall(/*is_send=*/false, peer, tag, data, bytes, done));
  later_any_.store(true, std::memory_order_relaxed);
}

// Owns: itself and the source of a Get, until the call has ended.
struct DrivenTransport::Reading {
  Source source;
  Callback done;
  static void End(void* arg, Status status) {
    const std::unique_ptr<Reading> self(static_cast<Reading*>(arg));
    self->done(std::move(status));
  }
};

void DrivenTransport::Get(int peer, std::string_view key, size_t offset, void* data, size_t bytes, Callback done) {
  if (!capabilities().remote_read) return Transport::Get(peer, key, offset, data, bytes, done);
  auto* const reading = new Reading{{std::string(key), offset}, done};
  Post({static_cast<char*>(data), bytes, peer, {}, false, {&Reading::End, reading}, 0, &reading->source});
}

void DrivenTransport::Post(const Call& call) {
  Completions completed;
  if (TryDrive()) {
    StartQueued(&completed);  // starts earlier calls first
    StartUnlessAborted(call, &completed);
    LetGo(&completed);
  } else {
    MutexLock lock(mu_);
    queued_.push_back(call);
    queued_any_.store(true);
  }
  DriveQueued();
}

bool DrivenTransport::Poll() {
  const bool any = DriveOnce();
  DriveQueued();
  return any;
}

// Drives until the queue is empty. No call stays in the queue: a thread that queues one sets queued_any_ and then
// checks whether the network is driven; the driver lets go and then checks queued_any_. All four accesses are
// sequentially consistent, so one of the two threads sees the other's write.
void DrivenTransport::DriveQueued() {
  while (queued_any_.load() && DriveOnce()) {
  }
}

bool DrivenTransport::DriveOnce() {
  if (!TryDrive()) return false;
  Completions completed;
  bool any = StartQueued(&completed);
  StartLater(&completed);
  any |= Progress(&completed);
  LetGo(&completed);
  return any;
}

bool DrivenTransport::ArmWake() {
  if (!TryDrive()) return false;
  Completions none;
  const bool armed = Arm();
  LetGo(&none);
  // A thread that queued a call meanwhile has left it to this thread.
  return armed && !queued_any_.load() && !later_any_.load(std::memory_order_relaxed);
}

bool DrivenTransport::TryDrive() {
  if (driving_.exchange(true)) return false;
  EnterNetwork();
  return true;
}

void DrivenTransport::LetGo(Completions* completed) {
  has_started_.store(HasStarted(), std::memory_order_relaxed);
  LeaveNetwork();
  driving_.store(false);
  completed->Run();
}

void DrivenTransport::StartUnlessAborted(const Call& call, Completions* completed) {
  if (abort_status_.ok()) [[likely]]
    return Start(call, completed);
  Complete(call, abort_status_, completed);
}

bool DrivenTransport::StartQueued(Completions* completed) {
  if (!queued_any_.load()) return false;
  std::vector<Call> queued;
  Status aborted;
  {
    MutexLock lock(mu_);
    queued.swap(queued_);
    queued_any_.store(false);
    aborted = aborted_;
  }
  if (!aborted.ok() && abort_status_.ok()) {
    abort_status_ = aborted;
    EndAll(aborted, completed);
  }
  for (const Call& call : queued) StartUnlessAborted(call, completed);
  return true;
}

void DrivenTransport::StartLater(Completions* completed) {
  if (!later_any_.load(std::memory_order_relaxed)) return;
  {
    MutexLock lock(mu_);
    starting_.swap(later_);
    later_any_.store(false, std::memory_order_relaxed);
  }
  for (const Call& call : starting_) StartUnlessAborted(call, completed);
  starting_.clear();
}

void DrivenTransport::Abort(const Status& status) {
  {
    MutexLock lock(mu_);
    if (!aborted_.ok()) return;
    aborted_ = status;
    queued_any_.store(true);  // tells the driver to check
  }
  DriveQueued();
}

std::string DrivenTransport::Describe(const Call& call) const {
  if (call.source != nullptr) {
    return StrCat("read ", call.bytes, " bytes at ", call.source->offset, " of memory of rank ", call.peer, " on rank ",
                  rank());
  }
  return StrCat(call.is_send ? "send " : "receive ", call.bytes, " bytes from rank ", call.is_send ? rank() : call.peer,
                " to rank ", call.is_send ? call.peer : rank(), " with tag ", call.tag);
}

Status DrivenTransport::WrongSize(const Call& call, std::optional<size_t> got) const {
  return OtherSize({rank(), call.peer, call.tag, call.bytes, got});
}

}  // namespace dfrun::comm
