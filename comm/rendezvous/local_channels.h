// Channels between two devices of one rank: values meet in memory.
#ifndef DFRUN_COMM_RENDEZVOUS_LOCAL_CHANNELS_H_
#define DFRUN_COMM_RENDEZVOUS_LOCAL_CHANNELS_H_

#include <unordered_map>

#include "src/base/mutex.h"
#include "src/framework/rendezvous.h"

namespace dfrun::comm {

// Thread safety: all methods from any thread. Callbacks run on the thread of the call that completes the pair.
class LocalChannels {
 public:
  // As Rendezvous's methods of these names. An owned value is shared with the receiver, a borrowed one copied.
  void Send(int32_t channel, const Tensor& value, bool is_dead, Callback done);
  void Recv(int32_t channel, Allocator& allocator, Tensor* value, bool* is_dead, Callback done);
  void Abort(const Status& status);
  // Forgets the abort of the step before.
  void Reset();

 private:
  struct Sender {
    Tensor value;
    bool is_dead;
    Callback done;
  };
  struct Receiver {
    Allocator* allocator;
    Tensor* value;
    bool* is_dead;
    Callback done;
  };
  static void Pass(const Sender& sender, const Receiver& receiver);

  Mutex mu_;
  Status aborted_ GUARDED_BY(mu_);
  std::unordered_map<int32_t, Sender> senders_ GUARDED_BY(mu_);
  std::unordered_map<int32_t, Receiver> receivers_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_LOCAL_CHANNELS_H_
