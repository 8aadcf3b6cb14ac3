// Which network the heartbeats of a job go by.
//
//   own = ThisHost(); all = gathered from every rank;
//   network = ChooseNetwork(all);   // the same on every rank
#ifndef DFRUN_COMM_HEARTBEAT_HOST_NETWORK_H_
#define DFRUN_COMM_HEARTBEAT_HOST_NETWORK_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"

namespace dfrun::comm {

struct HostAddress {
  std::string ip;  // IPv4, or IPv6 of global scope
  int prefix = 0;  // bits of its network
  bool operator==(const HostAddress&) const = default;
};

// A rank's host: its addresses in the order of its interfaces.
struct HostNetwork {
  std::string id;  // the same for ranks that share their interfaces: one kernel, one network namespace
  std::vector<HostAddress> addresses;  // but for those of the loopback interface

  std::string Serialize() const;
  static HostNetwork Parse(std::string_view text);
};

// Interfaces that are up. Never fails: what the system does not tell is not there.
HostNetwork ThisHost();

// The address of each rank, by rank: the loopback's where all are on one host; else those in the first network of rank
// 0's that every host has an address of its own in; else each host's first address that no other has, so that a route
// may lead there. Nothing where a host has none.
std::optional<std::vector<std::string>> ChooseAddresses(const std::vector<HostNetwork>& hosts);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_HOST_NETWORK_H_
