#include "comm/rendezvous/loop_channels.h"

#include <utility>
#include <vector>

#include "comm/rendezvous/incoming_value.h"
#include "comm/rendezvous/outgoing_value.h"
#include "comm/rendezvous/pending_pairs.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

// The sending end of a channel. A thread that finds no other one posting posts all queued values, so that messages do
// not interleave.
class LoopChannels::Outbound {
 public:
  Outbound(Transport& transport, int peer) : transport_(transport), peer_(peer) {}

  void Send(MessageTag tag, uint64_t iteration, const Tensor& value, bool is_dead, Callback done) {
    bool posts = false;
    OutgoingValue& out = Acquire(&posts);
    out.done = done;
    Status status = out.Prepare(value, is_dead, iteration);
    if (status.ok()) status = Claim(out, &posts);
    if (!status.ok()) Release(out);
    PostAll(tag, status.ok() && posts ? &out : nullptr, posts);
    if (!status.ok()) done(std::move(status));
  }

  // Sends the empty message that says that no more values come. Later Sends end with `failed`.
  void End(MessageTag tag, const Status& failed, Callback quiet) {
    bool posts = false;
    OutgoingValue& out = Acquire(&posts);
    out.done = quiet;
    out.PrepareEnd();
    {
      MutexLock lock(mu_);
      failed_ = failed;
      if (!posts) posts = ClaimLocked(out);
    }
    PostAll(tag, posts ? &out : nullptr, posts);
  }

  void Forget() {
    MutexLock lock(mu_);
    failed_ = Status();
  }

 private:
  // Returns an idle value. Sets `posts` to true if the caller is to post the queue.
  OutgoingValue& Acquire(bool* posts) {
    MutexLock lock(mu_);
    *posts = !std::exchange(is_posting_, true);
    if (idle_ != nullptr) return *std::exchange(idle_, idle_->next);
    all_.push_back(std::make_unique<OutgoingValue>());
    OutgoingValue& made = *all_.back();
    made.owner = this;
    made.left = [](OutgoingValue& out, Status status) {
      const Callback done = out.done;
      static_cast<Outbound*>(out.owner)->Release(out);
      done(std::move(status));
    };
    return made;
  }
  void Release(OutgoingValue& out) {
    MutexLock lock(mu_);
    out.next = idle_;
    idle_ = &out;
  }
  // Claims the turn to post. `posts` stays false if another thread posts: that thread will post this value too. Returns
  // an error after End().
  Status Claim(OutgoingValue& out, bool* posts) {
    MutexLock lock(mu_);
    DF_TRY(failed_);
    if (!*posts) *posts = ClaimLocked(out);
    return Status();
  }
  bool ClaimLocked(OutgoingValue& out) REQUIRES(mu_) {
    if (!std::exchange(is_posting_, true)) return true;
    out.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &out;
    last_ = &out;
    return false;
  }
  // Posts `first`, unless it is null, and then the queued values if `posts`.
  void PostAll(MessageTag tag, OutgoingValue* first, bool posts) {
    if (first != nullptr) first->Post(transport_, peer_, tag);
    while (OutgoingValue* next = posts ? TakeFirst() : nullptr) next->Post(transport_, peer_, tag);
  }
  // Returns the next value to post. Null: there is none, and no thread posts any more.
  OutgoingValue* TakeFirst() {
    MutexLock lock(mu_);
    OutgoingValue* const first = first_;
    if (first == nullptr) {
      is_posting_ = false;
    } else {
      first_ = first->next;
      if (first_ == nullptr) last_ = nullptr;
    }
    return first;
  }

  Transport& transport_;
  const int peer_;
  Mutex mu_;
  OutgoingValue* first_ GUARDED_BY(mu_) = nullptr;  // next to be posted
  OutgoingValue* last_ GUARDED_BY(mu_) = nullptr;
  bool is_posting_ GUARDED_BY(mu_) = false;
  Status failed_ GUARDED_BY(mu_);  // error of the step, set by End()
  OutgoingValue* idle_ GUARDED_BY(mu_) = nullptr;
  std::vector<std::unique_ptr<OutgoingValue>> all_ GUARDED_BY(mu_);
};

// The receiving end of a channel. It receives one message at a time, because it could not tell the header of the next
// from the payload of this one.
class LoopChannels::Inbound {
 public:
  Inbound(Transport& transport, int peer, const ErrorScope& scope) : transport_(transport), peer_(peer), scope_(scope) {
    incoming_.owner = this;
    incoming_.arrived = [](IncomingValue& in, Status status) {
      static_cast<Inbound*>(in.owner)->Arrived(std::move(status));
    };
  }

  void Recv(MessageTag tag, const Receiver& receiver) {
    SentValue early;
    bool is_there = false;
    Status failed;
    {
      MutexLock lock(mu_);
      failed = failed_;
      is_there = failed.ok() && pairs_.Ask(receiver, &early);
      if (failed.ok() && !is_there && std::exchange(is_receiving_, true)) return;
    }
    if (!failed.ok()) return receiver.done(std::move(failed));
    if (is_there) return receiver.Take(std::move(early));
    tag_ = tag;
    incoming_.Post(transport_, peer_, tag_, *receiver.allocator);
  }

  // Ends waiting and later Recvs with `failed`, and drops all messages up to the empty one that ends them.
  void End(MessageTag tag, const Status& failed, Callback quiet) {
    bool is_quiet = false;
    bool posts = false;
    {
      MutexLock lock(mu_);
      failed_ = failed;
      is_quiet = has_all_;
      quiet_ = quiet;
      posts = !std::exchange(is_receiving_, true);  // stays true once the empty message has come
    }
    ReleaseHeld(failed);
    if (posts) {
      tag_ = tag;
      incoming_.Post(transport_, peer_, tag_, SystemAllocator());
    }
    if (is_quiet) quiet(Status());
  }

  void ReleaseHeld(const Status& status) {
    std::vector<Receiver> receivers;
    {
      MutexLock lock(mu_);
      receivers = pairs_.TakeReceivers();
    }
    for (const Receiver& receiver : receivers) receiver.done(status);
  }

  void Forget() {
    MutexLock lock(mu_);
    pairs_.ForgetSent();
    if (has_all_) is_receiving_ = false;
    has_all_ = false;
    failed_ = Status();
  }

 private:
  void Arrived(Status status) {
    if (scope_ == ErrorScope::kStep && TakeAsLast(status)) return;
    Receiver receiver;
    bool is_awaited = false;
    Allocator* allocator = nullptr;  // allocator of the next value
    if (status.ok()) {
      MutexLock lock(mu_);  // held until the value is out of incoming_, which the next thread that receives will use
      is_awaited = pairs_.FindReceiver(incoming_.iteration(), &receiver);
      status = is_awaited ? incoming_.Take(receiver.value, receiver.is_dead) : KeepEarly();
      is_receiving_ = !pairs_.receivers().empty();
      if (is_receiving_) allocator = pairs_.receivers().front().allocator;
    }
    if (is_awaited) {
      receiver.done(std::move(status));
    } else if (!status.ok()) {
      return Fail(status);
    }
    // Nodes that wait for this value run before the receive of the next one is posted.
    if (allocator != nullptr) incoming_.PostLater(transport_, peer_, tag_, *allocator);
  }

  // Takes a message of a step that may fail alone. Returns true if no Recv is to get it: it is the empty message that
  // ends the values, or this end has failed and drops it.
  bool TakeAsLast(const Status& status) {
    bool has_all = false;
    Callback quiet;
    {
      MutexLock lock(mu_);
      has_all = has_all_ = !status.ok() && (!failed_.ok() || status.code() == Code::kCancelled);
      if (failed_.ok()) return has_all;  // the news of the failure will end the waiting Recvs
      quiet = quiet_;
    }
    if (has_all) {
      quiet(status.code() == Code::kCancelled ? Status() : status);
      return true;
    }
    Tensor dropped;
    bool is_dead = false;
    const Status taken = incoming_.Take(&dropped, &is_dead);  // dropped, whatever it is
    incoming_.PostLater(transport_, peer_, tag_, SystemAllocator());
    return true;
  }

  Status KeepEarly() REQUIRES(mu_) {
    SentValue early{incoming_.iteration()};
    DF_TRY(incoming_.Take(&early.value, &early.is_dead));
    pairs_.Keep(std::move(early));
    return Status();
  }

  void Fail(const Status& status) {
    std::vector<Receiver> receivers;
    {
      MutexLock lock(mu_);
      is_receiving_ = false;
      receivers = pairs_.TakeReceivers();
    }
    for (const Receiver& receiver : receivers) receiver.done(status);
  }

  Transport& transport_;
  const int peer_;
  const ErrorScope& scope_;  // scope of the current step
  Mutex mu_;
  PendingPairs pairs_ GUARDED_BY(mu_);
  Status failed_ GUARDED_BY(mu_);  // error of the step, set by End()
  Callback quiet_ GUARDED_BY(mu_) = {};
  bool has_all_ GUARDED_BY(mu_) = false;       // nothing more comes in this step
  bool is_receiving_ GUARDED_BY(mu_) = false;  // the thread that sets it owns the members below
  MessageTag tag_;
  IncomingValue incoming_;
};

LoopChannels::LoopChannels(Transport& transport)
    : transport_(transport),
      outbound_(std::make_unique<ChannelEndpoints<Outbound>>()),
      inbound_(std::make_unique<ChannelEndpoints<Inbound>>()) {}
LoopChannels::~LoopChannels() = default;

void LoopChannels::StartStep(ErrorScope scope) {
  inbound_->ForEach([](Inbound& end) { end.Forget(); });
  if (scope_ == ErrorScope::kStep) outbound_->ForEach([](Outbound& end) { end.Forget(); });
  scope_ = scope;
}

void LoopChannels::EndStep(const ChannelEndpoint& end, MessageTag tag, const Status& status, Callback quiet) {
  if (end.is_send) return outbound_->Find(end.channel, transport_, end.peer).End(tag, status, quiet);
  inbound_->Find(end.channel, transport_, end.peer, scope_).End(tag, status, quiet);
}

void LoopChannels::ReleaseHeld(const Status& status) {
  inbound_->ForEach([&](Inbound& end) { end.ReleaseHeld(status); });
}

void LoopChannels::Send(const ChannelKey& key, MessageTag tag, const Tensor& value, bool is_dead, Callback done) {
  outbound_->Find(key.channel, transport_, key.peer).Send(tag, key.iteration, value, is_dead, done);
}

void LoopChannels::Recv(const ChannelKey& key, MessageTag tag, Allocator& allocator, Tensor* value, bool* is_dead,
                        Callback done) {
  inbound_->Find(key.channel, transport_, key.peer, scope_)
      .Recv(tag, {key.iteration, &allocator, value, is_dead, done});
}

}  // namespace dfrun::comm
