// The network of a host, and the choice of the addresses that the heartbeats of a job use.
//
//   own = ThisHost(); all = gathered from every rank;
//   addresses = ChooseAddresses(all);   // the same on every rank
//
// UCX takes the same interface, where it needs one and the user sets none.
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
  int prefix = 0;  // length of the network prefix, in bits
  bool operator==(const HostAddress&) const = default;
};

// A rank's host: its addresses in the order of its interfaces.
struct HostNetwork {
  std::string id;                      // equal for ranks that share their interfaces: one kernel, one network namespace
  std::vector<HostAddress> addresses;  // without those of the loopback interface

  std::string Serialize() const;
  static HostNetwork Parse(std::string_view text);
};

// Returns the addresses of the interfaces that are up. Never fails: an interface that the system does not report is
// left out.
HostNetwork ThisHost();

// Returns the address of each rank, by rank. If all ranks are on one host, it is the loopback address. Otherwise it is
// the address in the first network of rank 0 in which every host has an address of its own. If there is no such
// network, it is each host's first address that no other host has, so that a route may lead there. Returns nullopt if a
// host has none.
std::optional<std::vector<std::string>> ChooseAddresses(const std::vector<HostNetwork>& hosts);

// The interface of this host that has the address, "eth0"; empty where none has it.
std::string InterfaceOf(const std::string& ip);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_HOST_NETWORK_H_
