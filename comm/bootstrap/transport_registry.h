// The transports of this program. Each registers itself in its own folder:
//
//   TRANSPORT("mpi", {.priority = 10, .describe = &Version, .can_connect = &CanConnect, .connect = &Connect});
#ifndef DFRUN_COMM_BOOTSTRAP_TRANSPORT_REGISTRY_H_
#define DFRUN_COMM_BOOTSTRAP_TRANSPORT_REGISTRY_H_

#include <memory>
#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/transport.h"
#include "src/base/registry.h"

namespace dfrun::comm {

struct TransportDef {
  // Of those that can connect all ranks, the one of the highest priority is taken.
  int priority = 0;
  // What `dfrun info` says of it: the library and its version.
  std::string (*describe)();
  // Whether it can connect the ranks of this bootstrap, as far as this rank knows; else why not. Not collective.
  Status (*can_connect)(const Bootstrap& bootstrap);
  // `count` transports over the same ranks, whose messages never meet. Collective. The bootstrap outlives them.
  Result<std::vector<std::unique_ptr<Transport>>> (*connect)(Bootstrap& bootstrap, int count);
};

Registry<TransportDef>& Transports();

// The transport `wanted`, or of those that every rank can use the one of the highest priority where that is empty.
// Collective, and the same on every rank. Usage error for a name that is not there, FailedPrecondition with the rank
// and its reason for one that cannot connect these ranks.
Result<std::string> ChooseTransport(Bootstrap& bootstrap, const std::string& wanted);

struct TransportRegistration {
  TransportRegistration(const char* name, TransportDef def) { Transports().Add(name, def); }
};
#define TRANSPORT(name, ...)                                                               \
  static const ::dfrun::comm::TransportRegistration DF_CONCAT(df_transport_, __COUNTER__)( \
      name, ::dfrun::comm::TransportDef __VA_ARGS__)

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_TRANSPORT_REGISTRY_H_
