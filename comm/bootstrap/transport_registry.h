// The registry of transports. Each transport registers itself in its own folder:
//
//   TRANSPORT("mpi", {.priority = 10, .describe = &Version, .can_connect = &CanConnect, .connect = &Connect});
#ifndef DFRUN_COMM_BOOTSTRAP_TRANSPORT_REGISTRY_H_
#define DFRUN_COMM_BOOTSTRAP_TRANSPORT_REGISTRY_H_

#include <memory>
#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/raw_link.h"
#include "comm/transport.h"
#include "src/base/registry.h"

namespace dfrun::comm {

struct TransportDef {
  // The transport of the highest priority among those that can connect all ranks is taken.
  int priority = 0;
  // Returns the library and its version, for `dfrun info`.
  std::string (*describe)();
  // Returns OK if the transport can connect the ranks of this bootstrap, as far as this rank knows; otherwise the
  // reason. Not collective.
  Status (*can_connect)(const Bootstrap& bootstrap);
  // Returns `count` transports over the same ranks, whose messages never mix. Collective. The bootstrap must outlive
  // them.
  Result<std::vector<std::unique_ptr<Transport>>> (*connect)(Bootstrap& bootstrap, int count);
  // Connects two ranks by the network's own calls, for benchmarks; both ranks call it. Null if no benchmark compares
  // with them.
  Result<std::unique_ptr<RawLink>> (*bare)(SwapBytes swap) = nullptr;
};

Registry<TransportDef>& Transports();

// Returns `wanted`, or if that is empty the name of the transport with the highest priority among those that every rank
// can use. Collective; all ranks get the same result. Usage error for an unknown name; FailedPrecondition, with the
// rank and its reason, for a transport that cannot connect these ranks.
Result<std::string> ChooseTransport(Bootstrap& bootstrap, const std::string& wanted);

struct TransportRegistration {
  TransportRegistration(const char* name, TransportDef def) { Transports().Add(name, def); }
};
#define TRANSPORT(name, ...)                                                               \
  static const ::dfrun::comm::TransportRegistration DF_CONCAT(df_transport_, __COUNTER__)( \
      name, ::dfrun::comm::TransportDef __VA_ARGS__)

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_TRANSPORT_REGISTRY_H_
