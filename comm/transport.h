// Tagged point-to-point messages between ranks: the interface of every network. CONTRACT.md is the whole contract,
// tests/conformance/transport/transport_suite.h its test.
#ifndef DFRUN_COMM_TRANSPORT_H_
#define DFRUN_COMM_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/base/status.h"
#include "src/framework/rendezvous.h"

namespace dfrun::comm {

// Thread safety: all methods from any thread, also from inside callbacks. No method blocks.
class Transport {
 public:
  virtual ~Transport() = default;

  // "self", "mpi": as --transport and the logs name it.
  virtual std::string_view name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Tags are 0..max_tag().
  virtual uint32_t max_tag() const = 0;

  // Sends `bytes` bytes at `data` to the Recv of the same tag at `peer`. They must not change until `done`.
  virtual void Send(int peer, uint32_t tag, const void* data, size_t bytes, Callback done) = 0;
  // Receives the next message of `peer` and `tag` into `data`. `bytes` is its exact size; another size is an Internal
  // error.
  virtual void Recv(int peer, uint32_t tag, void* data, size_t bytes, Callback done) = 0;
  // As Recv, but may be posted lazily, at the next Poll(), so that a Send issued right after is not delayed. Until
  // `done` the caller issues no other receive of this peer and tag.
  virtual void RecvLater(int peer, uint32_t tag, void* data, size_t bytes, Callback done) {
    Recv(peer, tag, data, bytes, done);
  }
  // Starts queued calls, finishes completed ones and runs their callbacks. True if anything happened. Returns false at
  // once if another thread is polling.
  virtual bool Poll() = 0;
  // Ends every pending and later Send and Recv with `status`, each through its callback. The first Abort wins.
  virtual void Abort(const Status& status) = 0;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_TRANSPORT_H_
