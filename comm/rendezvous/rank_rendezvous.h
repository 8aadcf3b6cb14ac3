// The rendezvous of one rank and slot. Channels to other ranks go over a transport; channels between its own devices
// stay in memory.
//
// A channel's header and payload have the same tag, and a transport keeps their order. A channel in a loop carries many
// values per step (loop_channels.h).
#ifndef DFRUN_COMM_RENDEZVOUS_RANK_RENDEZVOUS_H_
#define DFRUN_COMM_RENDEZVOUS_RANK_RENDEZVOUS_H_

#include <span>

#include "comm/rendezvous/channel_drain.h"
#include "comm/rendezvous/local_channels.h"
#include "comm/rendezvous/loop_channels.h"
#include "comm/transport.h"
#include "src/framework/communication/communicator.h"

namespace dfrun::comm {

class RankRendezvous final : public StepRendezvous {
 public:
  // The transport and `ends` must outlive this object.
  RankRendezvous(Transport& transport, int32_t slot, std::span<const ChannelEndpoint> ends)
      : transport_(transport), slot_(slot), ends_(ends), loops_(transport), failing_(transport, slot) {}

  void StartStep(ErrorScope scope) override;
  void EndStep(const Status& status, Callback quiet) override;
  void Send(const ChannelKey& key, const Tensor& value, bool is_dead, Callback done) override;
  void Recv(const ChannelKey& key, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) override;
  // Aborts the transport too if there are several ranks; no rendezvous can run a later step then.
  void Abort(const Status& status) override;

 private:
  MessageTag Tag(int32_t channel) const { return {channel, slot_}; }
  // Takes the turn of a value that is ready to be sent. Returns false if the step has failed.
  bool TakeSend(int32_t channel) { return scope_ == ErrorScope::kSession || failing_.TakeSend(channel); }

  Transport& transport_;
  const int32_t slot_;
  const std::span<const ChannelEndpoint> ends_;
  ErrorScope scope_ = ErrorScope::kSession;  // scope of the current step
  LocalChannels local_;
  LoopChannels loops_;
  ChannelDrain failing_;  // used in steps of scope kStep only
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_RANK_RENDEZVOUS_H_
