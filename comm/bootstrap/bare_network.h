// A network's own library, without anything of this program between: what benchmarks measure beside their figures.
#ifndef DFRUN_COMM_BOOTSTRAP_BARE_NETWORK_H_
#define DFRUN_COMM_BOOTSTRAP_BARE_NETWORK_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "src/base/registry.h"

namespace dfrun::comm {

struct BareMessage {
  int peer;
  int tag;
  void* data;  // of a send: not written to
  size_t bytes;
};

// Blocking calls over all ranks of the job. Errors end the job, as the library does by default: a limit that was not
// measured is of no use. Thread safety: one thread, and nothing else may be in the network meanwhile.
class BareNetwork {
 public:
  virtual ~BareNetwork() = default;

  // As figures name it: "bare MPI".
  virtual std::string_view name() const = 0;
  virtual void Send(int peer, const void* data, size_t bytes) = 0;
  virtual void Recv(int peer, void* data, size_t bytes) = 0;
  // Both at once: from `from` and to `to`.
  virtual void SendRecv(int to, const void* sent, int from, void* received, size_t bytes) = 0;
  // Starts all receives and sends, and waits for all. Tags are at most 32767.
  virtual void Exchange(std::span<const BareMessage> receives, std::span<const BareMessage> sends) = 0;
  virtual void Barrier() = 0;
  virtual void Broadcast(void* data, size_t bytes, int root) = 0;
  // `all` has room for `bytes` of each rank on rank `root`, and may be null elsewhere.
  virtual void Gather(const void* data, size_t bytes, void* all, int root) = 0;
  // The sum of `data` over the ranks, into `sum`, which is other memory.
  virtual void AllReduce(const float* data, float* sum, size_t count) = 0;
};

// Null where its library cannot be used in this process. Collective.
using NewBareNetwork = std::unique_ptr<BareNetwork> (*)();
Registry<NewBareNetwork>& BareNetworks();

// The first that can be used; null where there is none. Collective.
std::unique_ptr<BareNetwork> NewBare();

struct BareNetworkRegistration {
  BareNetworkRegistration(const char* name, NewBareNetwork make) { BareNetworks().Add(name, make); }
};
#define BARE_NETWORK(name, make) \
  static const ::dfrun::comm::BareNetworkRegistration DF_CONCAT(df_bare_network_, __COUNTER__)(name, make)

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_BARE_NETWORK_H_
