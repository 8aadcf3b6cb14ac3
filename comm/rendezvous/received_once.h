// A ReceivedOnce receives one tensor with a header for a Recv, and then deletes itself.
#ifndef DFRUN_COMM_RENDEZVOUS_RECEIVED_ONCE_H_
#define DFRUN_COMM_RENDEZVOUS_RECEIVED_ONCE_H_

#include <memory>
#include <utility>

#include "comm/rendezvous/incoming_value.h"
#include "comm/rendezvous/pending_pairs.h"

namespace dfrun::comm {

// Owns: itself, until its value has arrived.
class ReceivedOnce : private IncomingValue {
 public:
  static void Post(Transport& transport, int peer, MessageTag tag, const Receiver& receiver) {
    auto in = std::make_unique<ReceivedOnce>(receiver);
    static_cast<IncomingValue&>(*in.release()).Post(transport, peer, tag, *receiver.allocator);
  }

  explicit ReceivedOnce(const Receiver& r) : receiver_(r) {
    arrived = [](IncomingValue& in, Status status) {
      const std::unique_ptr<ReceivedOnce> self(static_cast<ReceivedOnce*>(&in));
      const Receiver& to = self->receiver_;
      to.done(status.ok() ? self->Take(to.value, to.is_dead) : std::move(status));
    };
  }

 private:
  const Receiver receiver_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_RECEIVED_ONCE_H_
