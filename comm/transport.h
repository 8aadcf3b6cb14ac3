// A Transport carries tagged point-to-point messages between ranks. It is the interface of every network. CONTRACT.md
// is the whole contract, tests/conformance/transport/transport_suite.h its test.
#ifndef DFRUN_COMM_TRANSPORT_H_
#define DFRUN_COMM_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "comm/message_tag.h"
#include "comm/region.h"
#include "src/base/status.h"
#include "src/framework/step/rendezvous.h"
#include "src/framework/step/trace_sink.h"
#include "src/framework/values/allocator.h"

namespace dfrun::comm {

// The abilities of a transport, and how it is best used. They do not change while the transport lives.
struct Capabilities {
  static constexpr size_t kNever = SIZE_MAX;

  bool remote_read = false;         // Get() works
  size_t registered_from = kNever;  // messages of at least so many bytes are fastest from and to memory of a Region

  bool wants_registered() const { return registered_from != kNever; }
};

// Thread safety: all methods from any thread, also from inside callbacks.
// Blocks: no method, except that a registration may take as long as the system needs for it.
class Transport {
 public:
  virtual ~Transport() = default;

  // Returns the name that --transport and the logs use: "self", "mpi".
  virtual std::string_view name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // A tag's channel is 0 to max_channels() - 1, which is at least 16384; its slot is 0 to max_slots() - 1, at least 2.
  virtual int32_t max_channels() const = 0;
  virtual int32_t max_slots() const = 0;

  virtual Capabilities capabilities() const { return {}; }
  // Registers memory, which must stay mapped until the Region is destroyed. If the network has no use for a
  // registration, the Region has no key. On an error of the network or the system, the memory may still be sent from
  // and received to.
  virtual Result<Region> Register(void* data, size_t bytes);
  // Allocates and registers memory of the kind that the network moves best, aligned to Allocator::kAlignment.
  virtual Result<Region> NewRegion(size_t bytes);

  // Sends `bytes` bytes at `data` to the Recv of the same tag at `peer`. They must not change until `done`.
  virtual void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) = 0;
  // Receives the next message of `peer` and `tag` at `data`. `bytes` is its exact size; a message of another size ends
  // the call with OtherSize() (message_size.h).
  virtual void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) = 0;
  // Receives, but may post the receive at the next Poll() only, so that a Send issued right after is not delayed. No
  // other receive of this peer and tag may be called until `done`.
  virtual void RecvLater(int peer, MessageTag tag, void* data, size_t bytes, Callback done) {
    Recv(peer, tag, data, bytes, done);
  }
  // Reads `bytes` bytes from `offset` on of the peer's Region that has this key, into `data`. The peer need only keep
  // the Region, and poll if the network needs that. `key` is read before this returns. OutOfRange for bytes outside the
  // Region; InvalidArgument for a key that is not this transport's; Unimplemented without remote read. Nothing is
  // written in case of an error.
  virtual void Get(int peer, std::string_view key, size_t offset, void* data, size_t bytes, Callback done);
  // Starts queued calls, finishes completed ones and runs their callbacks. Returns true if anything happened, and false
  // at once if another thread is polling.
  virtual bool Poll() = 0;
  // Returns true if no call of this rank was pending at the last poll: a hint for a caller that has several things to
  // poll.
  virtual bool is_idle() const { return false; }
  // Lets a caller that has nothing to do sleep: if ArmWake() returns true, it may sleep until the descriptor is
  // readable. False: a Poll() may find something now. The descriptor reports what peers do, not calls of this rank's
  // other threads. -1: the transport has no descriptor, and the caller must poll.
  virtual int wake_descriptor() const { return -1; }
  virtual bool ArmWake() { return false; }
  // Ends every pending and later Send, Recv and Get with `status`, each through its callback. The first Abort wins.
  virtual void Abort(const Status& status) = 0;
  // Records each call that moves its message to this sink, from its posting to its completion; null stops the
  // recording. The sink must outlive the threads that call the transport.
  virtual void Trace(TraceSink* sink) = 0;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_TRANSPORT_H_
