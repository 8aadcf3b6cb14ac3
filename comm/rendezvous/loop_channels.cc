#include "comm/rendezvous/loop_channels.h"

#include <utility>
#include <vector>

#include "comm/rendezvous/incoming_value.h"
#include "comm/rendezvous/meeting.h"
#include "comm/rendezvous/outgoing_value.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

// The sending end. A thread that finds no other one posting posts all queued values, so that messages do not
// interleave.
class LoopChannels::Outbound {
 public:
  Outbound(Transport& transport, int peer) : transport_(transport), peer_(peer) {}

  void Send(uint32_t tag, uint64_t iteration, const Tensor& value, bool is_dead, Callback done) {
    bool posts = false;
    OutgoingValue& out = Acquire(&posts);
    out.done = done;
    Status status = out.Prepare(value, is_dead, iteration);
    if (!status.ok()) {
      Release(out);
    } else if (posts || Claim(out)) {
      posts = true;
      out.Post(transport_, peer_, tag);
    }
    while (OutgoingValue* next = posts ? TakeFirst() : nullptr) next->Post(transport_, peer_, tag);
    if (!status.ok()) done(std::move(status));
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
  // False if another thread posts, which will post this value too.
  bool Claim(OutgoingValue& out) {
    MutexLock lock(mu_);
    if (!std::exchange(is_posting_, true)) return true;
    out.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &out;
    last_ = &out;
    return false;
  }
  // Returns the next value to post; null if there is none, and no thread posts any more.
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
  OutgoingValue* first_ GUARDED_BY(mu_) = nullptr;  // to be posted
  OutgoingValue* last_ GUARDED_BY(mu_) = nullptr;
  bool is_posting_ GUARDED_BY(mu_) = false;
  OutgoingValue* idle_ GUARDED_BY(mu_) = nullptr;
  std::vector<std::unique_ptr<OutgoingValue>> all_ GUARDED_BY(mu_);
};

// The receiving end. One message at a time is received, because the header of the next could not be told from the
// payload of this one.
class LoopChannels::Inbound {
 public:
  Inbound(Transport& transport, int peer) : transport_(transport), peer_(peer) {
    incoming_.owner = this;
    incoming_.arrived = [](IncomingValue& in, Status status) {
      static_cast<Inbound*>(in.owner)->Arrived(std::move(status));
    };
  }

  void Recv(uint32_t tag, const Receiver& receiver) {
    SentValue early;
    bool is_there = false;
    {
      MutexLock lock(mu_);
      is_there = meeting_.Ask(receiver, &early);
      if (!is_there && std::exchange(is_receiving_, true)) return;
    }
    if (is_there) return receiver.Take(std::move(early));
    tag_ = tag;
    incoming_.Post(transport_, peer_, tag_, *receiver.allocator);
  }

  void Forget() {
    MutexLock lock(mu_);
    meeting_.ForgetSent();
  }

 private:
  void Arrived(Status status) {
    Receiver receiver;
    bool is_awaited = false;
    Allocator* allocator = nullptr;  // of the next
    if (status.ok()) {
      MutexLock lock(mu_);  // held until the value is out of incoming_, which the next thread that receives will use
      is_awaited = meeting_.FindReceiver(incoming_.iteration(), &receiver);
      status = is_awaited ? incoming_.Take(receiver.value, receiver.is_dead) : KeepEarly();
      is_receiving_ = !meeting_.receivers().empty();
      if (is_receiving_) allocator = meeting_.receivers().front().allocator;
    }
    if (is_awaited) {
      receiver.done(std::move(status));
    } else if (!status.ok()) {
      return Fail(status);
    }
    // Nodes that wait for this value run before the receive of the next one is posted.
    if (allocator != nullptr) incoming_.PostLater(transport_, peer_, tag_, *allocator);
  }

  Status KeepEarly() REQUIRES(mu_) {
    SentValue early{incoming_.iteration()};
    DF_TRY(incoming_.Take(&early.value, &early.is_dead));
    meeting_.Keep(std::move(early));
    return Status();
  }

  void Fail(const Status& status) {
    std::vector<Receiver> receivers;
    {
      MutexLock lock(mu_);
      is_receiving_ = false;
      receivers = meeting_.TakeReceivers();
    }
    for (const Receiver& receiver : receivers) receiver.done(status);
  }

  Transport& transport_;
  const int peer_;
  Mutex mu_;
  Meeting meeting_ GUARDED_BY(mu_);
  bool is_receiving_ GUARDED_BY(mu_) = false;  // the thread that set it owns all members below
  uint32_t tag_ = 0;
  IncomingValue incoming_;
};

LoopChannels::LoopChannels(Transport& transport)
    : transport_(transport),
      outbound_(std::make_unique<ChannelEnds<Outbound>>()),
      inbound_(std::make_unique<ChannelEnds<Inbound>>()) {}
LoopChannels::~LoopChannels() = default;

void LoopChannels::StartStep() {
  inbound_->ForEach([](Inbound& end) { end.Forget(); });
}

void LoopChannels::Send(const ChannelKey& key, uint32_t tag, const Tensor& value, bool is_dead, Callback done) {
  outbound_->Find(key.channel, transport_, key.peer).Send(tag, key.iteration, value, is_dead, done);
}

void LoopChannels::Recv(const ChannelKey& key, uint32_t tag, Allocator& allocator, Tensor* value, bool* is_dead,
                        Callback done) {
  inbound_->Find(key.channel, transport_, key.peer).Recv(tag, {key.iteration, &allocator, value, is_dead, done});
}

}  // namespace dfrun::comm
