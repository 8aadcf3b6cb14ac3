// The rendezvous of one rank: channels to other ranks over a transport, channels of its own devices in memory.
//
// Tag of a channel's messages: channel * 2 + the parity of the step, so that two steps may be in flight. A channel's
// header and payload have the same tag; a transport keeps their order. A channel in a loop carries many values a step
// (loop_channels.h).
#ifndef DFRUN_COMM_RENDEZVOUS_RANK_RENDEZVOUS_H_
#define DFRUN_COMM_RENDEZVOUS_RANK_RENDEZVOUS_H_

#include <string>

#include "comm/rendezvous/local_channels.h"
#include "comm/rendezvous/loop_channels.h"
#include "comm/transport.h"
#include "src/framework/communicator.h"

namespace dfrun::comm {

// The number of channels for which a transport has tags.
constexpr int32_t MaxChannels(uint32_t max_tag) {
  const uint64_t channels = (static_cast<uint64_t>(max_tag) + 1) / 2;
  return channels > INT32_MAX ? INT32_MAX : static_cast<int32_t>(channels);
}

class RankRendezvous final : public StepRendezvous {
 public:
  // The transport outlives it.
  explicit RankRendezvous(Transport& transport) : transport_(transport), loops_(transport) {}

  void StartStep(int64_t step_id) override;
  void Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) override;
  void Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) override;
  // With several ranks this aborts the transport too, and no rendezvous can run a later step.
  void Abort(const Status& status) override;

 private:
  uint32_t Tag(int32_t channel) const { return static_cast<uint32_t>(channel) << 1 | parity_; }

  Transport& transport_;
  LocalChannels local_;
  LoopChannels loops_;
  uint32_t parity_ = 0;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_RANK_RENDEZVOUS_H_
