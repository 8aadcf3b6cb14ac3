// Channels between two devices of one rank, whose tensors stay in memory.
#ifndef DFRUN_COMM_RENDEZVOUS_LOCAL_CHANNELS_H_
#define DFRUN_COMM_RENDEZVOUS_LOCAL_CHANNELS_H_

#include <unordered_map>

#include "comm/rendezvous/pending_pairs.h"
#include "src/base/mutex.h"
#include "src/framework/step/rendezvous.h"

namespace dfrun::comm {

// Thread safety: all methods from any thread. Callbacks run on the thread of the call that completes the pair.
class LocalChannels {
 public:
  // These implement Rendezvous's methods of the same names. An owned tensor is shared with the receiver; a borrowed one
  // is copied.
  void Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done);
  void Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done);
  void Abort(const Status& status);
  // Clears the abort of the previous step.
  void Reset();

 private:
  static void Pass(const SentValue& sent, const Receiver& receiver);

  Mutex mu_;
  Status aborted_ GUARDED_BY(mu_);
  std::unordered_map<int32_t, PendingPairs> pairs_ GUARDED_BY(mu_);  // by channel; entries are kept for later steps
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_LOCAL_CHANNELS_H_
