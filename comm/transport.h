// Tagged point-to-point messages between ranks: the interface of every network. CONTRACT.md is the whole contract,
// tests/conformance/transport/transport_suite.h its test.
#ifndef DFRUN_COMM_TRANSPORT_H_
#define DFRUN_COMM_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "comm/message_tag.h"
#include "comm/region.h"
#include "src/base/status.h"
#include "src/framework/allocator.h"
#include "src/framework/rendezvous.h"
#include "src/framework/trace_sink.h"

namespace dfrun::comm {

// What a transport can do, and how it is best used. Does not change while the transport lives.
struct Capabilities {
  static constexpr size_t kNever = SIZE_MAX;

  // Send, Recv and Get take memory of a device too; host memory, pinned or not, they always take.
  bool moves_device_memory = false;
  bool remote_read = false;         // Get() works
  size_t registered_from = kNever;  // messages of at least so many bytes go best from and to memory of a Region

  bool Moves(MemoryKind kind) const { return IsHostMemory(kind) || moves_device_memory; }
  bool wants_registered() const { return registered_from != kNever; }
};

// Thread safety: all methods from any thread, also from inside callbacks. No method blocks, but that a registration may
// take as long as the system needs for it.
class Transport {
 public:
  virtual ~Transport() = default;

  // "self", "mpi": as --transport and the logs name it.
  virtual std::string_view name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // A tag's channel is 0..max_channels() - 1, its slot 0..max_slots() - 1: at least 16384 and 2.
  virtual int32_t max_channels() const = 0;
  virtual int32_t max_slots() const = 0;

  virtual Capabilities capabilities() const { return {}; }
  // Registers memory, which stays there until the Region is gone. Where the network has no use for that, the Region has
  // no key. An error where the network or the system refuses: the memory may be sent all the same.
  virtual Result<Region> Register(void* data, size_t bytes);
  // The same of new memory, such as the network moves best, aligned to Allocator::kAlignment.
  virtual Result<Region> NewRegion(size_t bytes);

  // Takes `bytes` bytes at `data` to the Recv of the same tag at `peer`; they stay as they are until `done`.
  virtual void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) = 0;
  // Places the next message of `peer` and `tag` at `data`. `bytes` is its exact size: of another one
  // comes OtherSize() (message_size.h).
  virtual void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) = 0;
  // As Recv, but it may begin with the next Poll() only: what the caller is about to send goes first. Until `done` no
  // other receive of this peer and tag is called.
  virtual void RecvLater(int peer, MessageTag tag, void* data, size_t bytes, Callback done) {
    Recv(peer, tag, data, bytes, done);
  }
  // Reads `bytes` bytes, from `offset` on, of the Region of `peer` that has this key, into `data`. The peer does
  // nothing for it but to keep the Region, and to poll where the network needs that. `key` is read before this returns.
  // OutOfRange: bytes that the Region does not have; InvalidArgument: no key of this transport's; Unimplemented: a
  // transport without remote read. Nothing is written then.
  virtual void Get(int peer, std::string_view key, size_t offset, void* data, size_t bytes, Callback done);
  // Starts queued calls, finishes completed ones and runs their callbacks. True if anything happened. Returns false at
  // once if another thread is polling.
  virtual bool Poll() = 0;
  // True where no call of this rank is pending, as far as the last one who polled has seen: a hint for who has several
  // things to poll.
  virtual bool is_idle() const { return false; }
  // For who has nothing to do but to wait: ArmWake(), and where that is true a sleep until the descriptor is readable.
  // False: there may be something to Poll() for now. The descriptor tells of what peers do, not of calls of this rank's
  // other threads. -1: there is none, and who waits polls.
  virtual int wake_descriptor() const { return -1; }
  virtual bool ArmWake() { return false; }
  // Ends every pending and later Send, Recv and Get with `status`, each through its callback. The first Abort wins.
  virtual void Abort(const Status& status) = 0;
  // From now on each call that moves its message is recorded there, from its posting to its completion; null: no call
  // any more. The sink outlives the threads that call the transport.
  virtual void Trace(TraceSink* sink) = 0;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_TRANSPORT_H_
