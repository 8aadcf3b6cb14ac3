// Channels between ranks within a loop: one value per iteration, several iterations at once.
//
// A channel's messages leave in the order in which the iterations send them, each as a header followed by its payload.
// The receiver takes them one by one; the header names the iteration. A value that arrives before its iteration asks
// for it is kept. The loop's parallel_iterations bounds the iterations under way on a device, and so the number of kept
// values. A receiver posts only as many receives as iterations have asked for, so nothing is left over when a step has
// ended well. In a step that fails alone, the sender ends with an empty message, and the receiver drops all messages up
// to that one.
#ifndef DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_
#define DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_

#include <memory>

#include "comm/rendezvous/channel_endpoints.h"
#include "comm/transport.h"
#include "src/framework/communication/communicator.h"
#include "src/framework/step/rendezvous.h"

namespace dfrun::comm {

// Thread safety: all methods from any thread; StartStep() between steps only.
class LoopChannels {
 public:
  // The transport must outlive this object.
  explicit LoopChannels(Transport& transport);
  ~LoopChannels();

  // Forgets what a failed step has left.
  void StartStep(ErrorScope scope);
  // Drains a channel of a failed step of scope kStep: a sending end sends nothing more but the empty message, a
  // receiving end drops what still comes. `quiet` runs when the empty message has left or has come.
  void EndStep(const ChannelEndpoint& end, MessageTag tag, const Status& status, Callback quiet);
  // Ends the receives whose values will not come, with `status`.
  void ReleaseHeld(const Status& status);
  // These implement Rendezvous's methods of the same names; `tag` is the channel's tag in this step. An abort of the
  // transport ends them.
  void Send(const ChannelKey& key, MessageTag tag, const Tensor& value, bool is_dead, Callback done);
  void Recv(const ChannelKey& key, MessageTag tag, Allocator& allocator, Tensor* value, bool* is_dead, Callback done);

 private:
  class Outbound;
  class Inbound;

  Transport& transport_;
  ErrorScope scope_ = ErrorScope::kSession;  // scope of the current step
  const std::unique_ptr<ChannelEndpoints<Outbound>> outbound_;
  const std::unique_ptr<ChannelEndpoints<Inbound>> inbound_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_
