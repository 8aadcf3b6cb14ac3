// Channels between ranks within a loop: one value an iteration, several iterations at once.
//
// Values are sent in the order in which their iterations send them, each as a header followed by its payload. A
// receiver takes the messages of a channel one by one, and the header names the iteration. A value that arrives before
// its iteration asks for it is kept; the loop's parallel_iterations bound the iterations of a device, and so the number
// of such values. Only as many messages are received as have been asked for, so none is left over when a step has ended
// well.
#ifndef DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_
#define DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_

#include <memory>

#include "comm/rendezvous/channel_ends.h"
#include "comm/transport.h"
#include "src/framework/rendezvous.h"

namespace dfrun::comm {

// Thread safety: all methods from any thread, StartStep() between steps.
class LoopChannels {
 public:
  // The transport outlives it.
  explicit LoopChannels(Transport& transport);
  ~LoopChannels();

  // Drops the values and calls that a failed step has left.
  void StartStep();
  // As Rendezvous's methods of these names; `tag` is the channel's in this step. An aborted transport ends them.
  void Send(const ChannelKey& key, uint32_t tag, const Tensor& value, bool is_dead, Callback done);
  void Recv(const ChannelKey& key, uint32_t tag, Allocator& allocator, Tensor* value, bool* is_dead, Callback done);

 private:
  class Outbound;
  class Inbound;

  Transport& transport_;
  const std::unique_ptr<ChannelEnds<Outbound>> outbound_;
  const std::unique_ptr<ChannelEnds<Inbound>> inbound_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_LOOP_CHANNELS_H_
