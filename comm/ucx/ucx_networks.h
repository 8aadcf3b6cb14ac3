// The networks that UCX is asked to use, so that strangers meet no more of its ports than must be.
#ifndef DFRUN_COMM_UCX_UCX_NETWORKS_H_
#define DFRUN_COMM_UCX_UCX_NETWORKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "comm/heartbeat/host_network.h"

namespace dfrun::comm {

// A rank's host, as the rank tells it to the others.
struct UcxHost {
  std::string name;
  std::string memory;        // equal for ranks that can share memory
  bool is_by_user = false;   // the user says what UCX may use
  HostNetwork network = {};  // its last, for its text has any length

  std::string Serialize() const;
  static UcxHost Parse(std::string_view text);
};
// `is_by_user` beside what WhereUcxIsSet() sees.
UcxHost ThisUcxHost(bool is_by_user);

// Values of UCX_TLS and UCX_NET_DEVICES; empty: UCX's own.
struct UcxNetworks {
  std::string transports;
  std::string devices;
  std::string why;  // "all ranks share this host's memory"
};
// Shared memory alone where all ranks can share it; else RDMA devices and, of TCP, the interface that this rank's
// heartbeats go by. Nothing where a user has decided it, or the ranks have no network in common. Whether processes that
// share memory may be told of a lost peer is UCX's MM_ERROR_HANDLING: `has_peer_errors` says that it is on.
UcxNetworks ChooseUcxNetworks(const std::vector<UcxHost>& hosts, size_t rank, bool has_peer_errors);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_UCX_NETWORKS_H_
