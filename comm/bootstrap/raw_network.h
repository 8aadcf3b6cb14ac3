// The network library's own operations, without any code of dfrun between. Benchmarks report them beside their own
// figures.
#ifndef DFRUN_COMM_BOOTSTRAP_RAW_NETWORK_H_
#define DFRUN_COMM_BOOTSTRAP_RAW_NETWORK_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "src/base/registry.h"

namespace dfrun::comm {

struct BareMessage {
  int peer;
  int tag;
  void* data;  // never written to by a send
  size_t bytes;
};

// Blocking calls over all ranks of the job. An error ends the job, which is the library's default: a limit that was not
// measured is of no use.
// Blocks: all methods.
// Thread safety: one thread, and nothing else may use the network meanwhile.
class RawNetwork {
 public:
  virtual ~RawNetwork() = default;

  // The name that figures carry: "bare MPI".
  virtual std::string_view name() const = 0;
  virtual void Send(int peer, const void* data, size_t bytes) = 0;
  virtual void Recv(int peer, void* data, size_t bytes) = 0;
  // Receives from `from` and sends to `to` at the same time.
  virtual void SendRecv(int to, const void* sent, int from, void* received, size_t bytes) = 0;
  // Starts all receives and sends, and waits for all of them. Tags are at most 32767.
  virtual void Exchange(std::span<const BareMessage> receives, std::span<const BareMessage> sends) = 0;
  virtual void Barrier() = 0;
  virtual void Broadcast(void* data, size_t bytes, int root) = 0;
  // On rank `root`, `all` has room for `bytes` of each rank; elsewhere it may be null.
  virtual void Gather(const void* data, size_t bytes, void* all, int root) = 0;
  // Writes the sum of `data` over the ranks to `sum`, which must not overlap `data`.
  virtual void AllReduce(const float* data, float* sum, size_t count) = 0;
};

// Returns null if the library cannot be used in this process. Collective.
using NewRawNetwork = std::unique_ptr<RawNetwork> (*)();
Registry<NewRawNetwork>& RawNetworks();

// Returns the first registered network that can be used, or null if there is none. Collective.
std::unique_ptr<RawNetwork> NewBare();

struct RawNetworkRegistration {
  RawNetworkRegistration(const char* name, NewRawNetwork make) { RawNetworks().Add(name, make); }
};
#define RAW_NETWORK(name, make) \
  static const ::dfrun::comm::RawNetworkRegistration DF_CONCAT(df_raw_network_, __COUNTER__)(name, make)

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_RAW_NETWORK_H_
