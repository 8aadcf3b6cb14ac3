// A concurrent table of a rank's channel endpoints by channel number.
#ifndef DFRUN_COMM_RENDEZVOUS_CHANNEL_ENDPOINTS_H_
#define DFRUN_COMM_RENDEZVOUS_CHANNEL_ENDPOINTS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/base/mutex.h"

namespace dfrun::comm {

// Makes an endpoint on its first use and keeps it.
// Thread safety: all methods from any thread. An existing endpoint is found without a lock.
template <class End>
class ChannelEndpoints {
 public:
  // Returns the channel's endpoint. `make_args` are the arguments of End's constructor.
  template <class... Args>
  End& Find(int32_t channel, Args&&... make_args) {
    std::atomic<Entry*>& bucket = buckets_[static_cast<uint32_t>(channel) % kBuckets];
    Entry* found = FindIn(bucket.load(std::memory_order_acquire), channel);
    if (found != nullptr) return found->end;
    MutexLock lock(mu_);
    Entry* const first = bucket.load(std::memory_order_relaxed);
    found = FindIn(first, channel);
    if (found != nullptr) return found->end;  // another thread has made it meanwhile
    all_.push_back(std::make_unique<Entry>(channel, first, make_args...));
    bucket.store(all_.back().get(), std::memory_order_release);
    return all_.back()->end;
  }
  template <class Body>
  void ForEach(Body body) {
    MutexLock lock(mu_);
    for (const auto& entry : all_) body(entry->end);
  }

 private:
  static constexpr uint32_t kBuckets = 256;
  struct Entry {
    template <class... Args>
    Entry(int32_t number, Entry* others, Args&&... args) : channel(number), next(others), end(args...) {}
    const int32_t channel;
    Entry* const next;  // next in the bucket
    End end;
  };
  static Entry* FindIn(Entry* entry, int32_t channel) {
    while (entry != nullptr && entry->channel != channel) entry = entry->next;
    return entry;
  }

  std::array<std::atomic<Entry*>, kBuckets> buckets_ = {};
  Mutex mu_;
  std::vector<std::unique_ptr<Entry>> all_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_CHANNEL_ENDPOINTS_H_
