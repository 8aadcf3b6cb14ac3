#include "comm/rendezvous/loop_channels.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dfrun::comm {
namespace {

// Takes the entry of an iteration out; false if there is none. Their number is small.
template <class Entry>
bool TakeIteration(std::vector<Entry>& entries, uint64_t iteration, Entry* taken) {
  auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.iteration == iteration; });
  if (it == entries.end()) return false;
  *taken = std::move(*it);
  if (it != entries.end() - 1) *it = std::move(entries.back());
  entries.pop_back();
  return true;
}

}  // namespace

// The sending end. Whoever finds nobody sending posts what is queued, so that messages do not interleave.
class LoopChannels::Outbound {
 public:
  Outbound(Transport& transport, int peer) : transport_(transport), peer_(peer) {}

  void Send(uint32_t tag, uint64_t iteration, const Tensor& value, bool is_dead, Callback done) {
    OutgoingValue& out = Acquire();
    out.done = done;
    if (Status s = out.Prepare(value, is_dead, iteration); !s.ok()) {
      Release(out);
      return done(std::move(s));
    }
    {
      MutexLock lock(mu_);
      out.next = nullptr;
      (last_ == nullptr ? first_ : last_->next) = &out;
      last_ = &out;
      if (std::exchange(is_posting_, true)) return;
    }
    while (OutgoingValue* next = TakeFirst()) next->Post(transport_, peer_, tag);
  }

 private:
  OutgoingValue& Acquire() {
    MutexLock lock(mu_);
    if (idle_ == nullptr) {
      all_.push_back(std::make_unique<OutgoingValue>());
      all_.back()->owner = this;
      all_.back()->left = [](OutgoingValue& out, Status status) {
        const Callback done = out.done;
        static_cast<Outbound*>(out.owner)->Release(out);
        done(std::move(status));
      };
      return *all_.back();
    }
    return *std::exchange(idle_, idle_->next);
  }
  void Release(OutgoingValue& out) {
    MutexLock lock(mu_);
    out.next = idle_;
    idle_ = &out;
  }
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

// The receiving end. One message at a time is on its way in: the next one's header cannot be told from this one's
// payload.
class LoopChannels::Inbound {
 public:
  Inbound(Transport& transport, int peer) : transport_(transport), peer_(peer) {}

  void Recv(uint32_t tag, uint64_t iteration, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) {
    Early early;
    {
      MutexLock lock(mu_);
      if (!TakeIteration(early_, iteration, &early)) {
        waiting_.push_back({iteration, &allocator, value, is_dead, done});
        if (is_receiving_) return;
        is_receiving_ = true;
        tag_ = tag;
        allocator_ = &allocator;
      }
    }
    if (early.is_there) {
      *value = std::move(early.value);
      *is_dead = early.is_dead;
      return done(Status());
    }
    Post();
  }

  void Forget() {
    MutexLock lock(mu_);
    early_.clear();
  }

 private:
  struct Waiting {
    uint64_t iteration = 0;
    Allocator* allocator = nullptr;
    Tensor* value = nullptr;
    bool* is_dead = nullptr;
    Callback done = {};
  };
  struct Early {
    uint64_t iteration = 0;
    Tensor value = {};
    bool is_dead = false;
    bool is_there = false;
  };

  void Post() {
    transport_.Recv(peer_, tag_, &header_, kHeaderBytes,
                    // NOLINTNEXTLINE(performance-unnecessary-value-param): a Callback takes it so
                    {[](void* arg, Status status) { static_cast<Inbound*>(arg)->OnHeader(status); }, this});
  }

  void OnHeader(const Status& status) {
    if (!status.ok()) return Fail(status);
    if (header_.is_dead()) return Arrived();
    void* place = nullptr;
    if (header_.is_packed()) {
      packed_.resize(header_.bytes_behind());
      place = packed_.data();
    } else {
      Result<Tensor> made = DecodeValue(header_, {}, *allocator_);
      if (!made.ok()) return Fail(made.status());
      value_ = *std::move(made);
      place = value_.raw();
    }
    if (header_.bytes_behind() == 0) return OnPayload(Status());
    transport_.Recv(peer_, tag_, place, header_.bytes_behind(),
                    // NOLINTNEXTLINE(performance-unnecessary-value-param): a Callback takes it so
                    {[](void* arg, Status s) { static_cast<Inbound*>(arg)->OnPayload(s); }, this});
  }

  void OnPayload(const Status& status) {
    if (!status.ok()) return Fail(status);
    if (header_.is_packed()) {
      Result<Tensor> made = DecodeValue(header_, packed_, *allocator_);
      if (!made.ok()) return Fail(made.status());
      value_ = *std::move(made);
    }
    Arrived();
  }

  void Arrived() {
    const bool is_dead = header_.is_dead();
    Waiting receiver;
    bool goes_on = false;
    {
      MutexLock lock(mu_);
      if (!TakeIteration(waiting_, header_.iteration, &receiver)) {
        early_.push_back({header_.iteration, std::move(value_), is_dead, true});
      }
      goes_on = !waiting_.empty();
      is_receiving_ = goes_on;
      if (goes_on) allocator_ = waiting_.front().allocator;
      if (receiver.value != nullptr) {
        *receiver.value = std::move(value_);
        *receiver.is_dead = is_dead;
      }
      value_.Reset();
    }
    if (receiver.value != nullptr) receiver.done(Status());
    if (goes_on) Post();
  }

  void Fail(const Status& status) {
    std::vector<Waiting> waiting;
    {
      MutexLock lock(mu_);
      is_receiving_ = false;
      waiting.swap(waiting_);
    }
    for (const Waiting& receiver : waiting) receiver.done(status);
  }

  Transport& transport_;
  const int peer_;
  Mutex mu_;
  std::vector<Waiting> waiting_ GUARDED_BY(mu_);
  std::vector<Early> early_ GUARDED_BY(mu_);
  bool is_receiving_ GUARDED_BY(mu_) = false;  // who has set it has all below
  uint32_t tag_ = 0;
  Allocator* allocator_ = nullptr;
  WireHeader header_;
  std::string packed_;
  Tensor value_;
};

LoopChannels::LoopChannels(Transport& transport) : transport_(transport) {}
LoopChannels::~LoopChannels() = default;

template <class End>
End& LoopChannels::Find(std::unordered_map<int32_t, std::unique_ptr<End>>& ends, const ChannelKey& key) {
  std::unique_ptr<End>& end = ends[key.channel];
  if (end == nullptr) end = std::make_unique<End>(transport_, key.peer);
  return *end;
}

void LoopChannels::StartStep() {
  MutexLock lock(mu_);
  for (const auto& [channel, inbound] : inbound_) inbound->Forget();
}

void LoopChannels::Send(const ChannelKey& key, uint32_t tag, const Tensor& value, bool is_dead, Callback done) {
  Outbound* end = nullptr;
  {
    MutexLock lock(mu_);
    end = &Find(outbound_, key);
  }
  end->Send(tag, key.iteration, value, is_dead, done);
}

void LoopChannels::Recv(const ChannelKey& key, uint32_t tag, Allocator& allocator, Tensor* value, bool* is_dead,
                        Callback done) {
  Inbound* end = nullptr;
  {
    MutexLock lock(mu_);
    end = &Find(inbound_, key);
  }
  end->Recv(tag, key.iteration, allocator, value, is_dead, done);
}

}  // namespace dfrun::comm
