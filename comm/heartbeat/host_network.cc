#include "comm/heartbeat/host_network.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <sstream>

#include "src/base/file_version.h"

namespace dfrun::comm {
namespace {

using Bytes = std::array<unsigned char, 16>;

// Parses an address into bytes and returns how many there are: 4 or 16; 0 if it is no address.
size_t ParseIp(const std::string& ip, Bytes* bytes) {
  bytes->fill(0);
  if (::inet_pton(AF_INET, ip.c_str(), bytes->data()) == 1) return 4;
  return ::inet_pton(AF_INET6, ip.c_str(), bytes->data()) == 1 ? 16 : 0;
}

bool IsInNetwork(const HostAddress& a, const HostAddress& network) {
  Bytes left{};
  Bytes right{};
  const size_t size = ParseIp(a.ip, &left);
  if (size == 0 || size != ParseIp(network.ip, &right) || a.prefix != network.prefix) return false;
  for (int bit = 0; bit < network.prefix; ++bit) {
    const auto mask = static_cast<unsigned char>(0x80 >> (bit % 8));
    const auto byte = static_cast<size_t>(bit / 8);
    if (byte >= size || ((left[byte] ^ right[byte]) & mask) != 0) return false;
  }
  return true;
}

template <class SockAddr, class Part>
HostAddress AddressOf(const ifaddrs& entry, Part part) {
  char text[INET6_ADDRSTRLEN] = {};
  const auto& address = reinterpret_cast<const SockAddr*>(entry.ifa_addr)->*part;
  ::inet_ntop(entry.ifa_addr->sa_family, &address, text, sizeof text);
  int prefix = 0;
  const auto* const mask =
      reinterpret_cast<const unsigned char*>(&(reinterpret_cast<const SockAddr*>(entry.ifa_netmask)->*part));
  for (size_t i = 0; i < sizeof address; ++i) prefix += std::popcount(mask[i]);
  return {text, prefix};
}

bool IsUsable(const ifaddrs& entry) {
  constexpr unsigned kUp = IFF_UP | IFF_RUNNING;
  if (entry.ifa_addr == nullptr || entry.ifa_netmask == nullptr) return false;
  return (entry.ifa_flags & kUp) == kUp && (entry.ifa_flags & IFF_LOOPBACK) == 0;
}

using Interfaces = std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)>;

// Null where the system does not tell.
Interfaces ReadInterfaces() {
  ifaddrs* first = nullptr;
  return Interfaces(::getifaddrs(&first) == 0 ? first : nullptr, &::freeifaddrs);
}

std::string IpOf(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || entry.ifa_netmask == nullptr) return "";
  if (entry.ifa_addr->sa_family == AF_INET) return AddressOf<sockaddr_in>(entry, &sockaddr_in::sin_addr).ip;
  if (entry.ifa_addr->sa_family == AF_INET6) return AddressOf<sockaddr_in6>(entry, &sockaddr_in6::sin6_addr).ip;
  return "";
}

std::string KernelAndNamespace() {
  struct stat network = {};
  const bool is_known = ::stat("/proc/self/ns/net", &network) == 0;
  return StrCat(HostId(), ":", is_known ? network.st_ino : 0);
}

// Returns an address that `host` has in the network and that no other host has too. Bridges of containers have the same
// address on many hosts.
const HostAddress* OwnAddressIn(const HostNetwork& host, const HostAddress& network,
                                const std::vector<HostNetwork>& hosts) {
  for (const HostAddress& address : host.addresses) {
    if (!IsInNetwork(address, network)) continue;
    const bool is_shared = std::any_of(hosts.begin(), hosts.end(), [&](const HostNetwork& other) {
      return other.id != host.id && std::any_of(other.addresses.begin(), other.addresses.end(),
                                                [&](const HostAddress& a) { return a.ip == address.ip; });
    });
    if (!is_shared) return &address;
  }
  return nullptr;
}

std::optional<std::vector<std::string>> AddressesIn(const HostAddress& network, const std::vector<HostNetwork>& hosts) {
  std::vector<std::string> addresses;
  for (const HostNetwork& host : hosts) {
    const HostAddress* const own = OwnAddressIn(host, network, hosts);
    if (own == nullptr) return std::nullopt;
    addresses.push_back(own->ip);
  }
  return addresses;
}

std::optional<std::vector<std::string>> FirstAddresses(const std::vector<HostNetwork>& hosts) {
  std::vector<std::string> addresses;
  for (const HostNetwork& host : hosts) {
    const HostAddress* own = nullptr;
    for (size_t i = 0; i < host.addresses.size() && own == nullptr; ++i) {
      own = OwnAddressIn(host, host.addresses[i], hosts);
    }
    if (own == nullptr) return std::nullopt;
    addresses.push_back(own->ip);
  }
  return addresses;
}

}  // namespace

std::string HostNetwork::Serialize() const {
  std::string text = id;
  for (const HostAddress& address : addresses) text += StrCat(" ", address.ip, " ", address.prefix);
  return text;
}

HostNetwork HostNetwork::Parse(std::string_view text) {
  std::istringstream in{std::string(text)};
  HostNetwork host;
  in >> host.id;
  for (HostAddress address; in >> address.ip >> address.prefix;) host.addresses.push_back(address);
  return host;
}

HostNetwork ThisHost() {
  HostNetwork host{.id = KernelAndNamespace(), .addresses = {}};
  const Interfaces all = ReadInterfaces();
  for (const ifaddrs* entry = all.get(); entry != nullptr; entry = entry->ifa_next) {
    if (!IsUsable(*entry)) continue;
    if (entry->ifa_addr->sa_family == AF_INET) {
      host.addresses.push_back(AddressOf<sockaddr_in>(*entry, &sockaddr_in::sin_addr));
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      const HostAddress address = AddressOf<sockaddr_in6>(*entry, &sockaddr_in6::sin6_addr);
      if (address.ip.rfind("fe80", 0) != 0) host.addresses.push_back(address);  // not a link-local address
    }
  }
  return host;
}

std::string InterfaceOf(const std::string& ip) {
  const Interfaces all = ReadInterfaces();
  for (const ifaddrs* entry = all.get(); entry != nullptr; entry = entry->ifa_next) {
    if (IpOf(*entry) == ip) return entry->ifa_name;
  }
  return "";
}

std::optional<std::vector<std::string>> ChooseAddresses(const std::vector<HostNetwork>& hosts) {
  const bool is_one_host =
      std::all_of(hosts.begin(), hosts.end(), [&](const HostNetwork& host) { return host.id == hosts[0].id; });
  if (is_one_host) return std::vector<std::string>(hosts.size(), "127.0.0.1");
  for (const HostAddress& network : hosts[0].addresses) {
    if (auto addresses = AddressesIn(network, hosts)) return addresses;
  }
  return FirstAddresses(hosts);
}

}  // namespace dfrun::comm
