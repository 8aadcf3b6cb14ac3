// Channels between ranks within a loop: one value an iteration, several iterations at once.
//
// Values leave in the order in which their iterations come to send them, each with its header and payload one behind
// the other, and a receiver takes a channel's messages one by one: the header names the iteration. A value that comes
// before its iteration asks for it is kept; iterations that a device has under way are bounded by the loop's
// parallel_iterations, and so are those values. Only as many messages are received as have been asked for, so nothing
// is left over when a step has ended well. Where a step fails alone, a sender ends what it has sent by an empty
// message, and the receiver takes all up to that.
#ifndef DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_
#define DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_

#include <memory>

#include "comm/rendezvous/channel_endpoints.h"
#include "comm/transport.h"
#include "src/framework/communicator.h"
#include "src/framework/rendezvous.h"

namespace dfrun::comm {

// Thread safety: all methods from any thread, StartStep() between steps.
class LoopChannels {
 public:
  // The transport outlives it.
  explicit LoopChannels(Transport& transport);
  ~LoopChannels();

  // Forgets what a step that failed has left.
  void StartStep(ErrorScope scope);
  // Of a step of scope kStep that has failed: the end sends nothing more, or takes what still comes. `quiet` runs when
  // the word that this was all has left, or has come.
  void EndStep(const ChannelEndpoint& end, MessageTag tag, const Status& status, Callback quiet);
  // Ends the receives that wait for values that will not come.
  void ReleaseHeld(const Status& status);
  // As Rendezvous's methods of these names; `tag` is the channel's in this step. An aborted transport ends them.
  void Send(const ChannelKey& key, MessageTag tag, const Tensor& value, bool is_dead, Callback done);
  void Recv(const ChannelKey& key, MessageTag tag, Allocator& allocator, Tensor* value, bool* is_dead, Callback done);

 private:
  class Outbound;
  class Inbound;

  Transport& transport_;
  ErrorScope scope_ = ErrorScope::kSession;  // of the step
  const std::unique_ptr<ChannelEndpoints<Outbound>> outbound_;
  const std::unique_ptr<ChannelEndpoints<Inbound>> inbound_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_
