#include "comm/ucx/ucx_networks.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "comm/bootstrap/user_settings.h"
#include "src/base/file_version.h"
#include "src/base/host/host_name.h"
#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

constexpr std::string_view kNoText = "-";

uint64_t NamespaceOf(const char* path) {
  struct stat found = {};
  return ::stat(path, &found) == 0 ? found.st_ino : 0;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), &::closedir);
  if (opened == nullptr) return names;
  while (const dirent* const entry = ::readdir(opened.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// InfiniBand's and RoCE's, "mlx5_0:1", by which UCX is not to lose what TCP's limits are for.
std::vector<std::string> RdmaDevices() {
  const std::string folder = "/sys/class/infiniband";
  std::vector<std::string> devices;
  for (const std::string& device : NamesIn(folder)) {
    for (const std::string& port : NamesIn(StrCat(folder, "/", device, "/ports"))) {
      devices.push_back(StrCat(device, ":", port));
    }
  }
  return devices;
}

}  // namespace

std::string UcxHost::Serialize() const {
  return StrCat(name.empty() ? kNoText : name, " ", memory.empty() ? kNoText : memory, " ", is_by_user ? 1 : 0, " ",
                network.Serialize());
}

UcxHost UcxHost::Parse(std::string_view text) {
  std::istringstream in{std::string(text)};
  UcxHost host;
  in >> host.name >> host.memory >> host.is_by_user >> std::ws;
  host.network = HostNetwork::Parse(std::string(std::istreambuf_iterator<char>(in), {}));
  return host;
}

UcxHost ThisUcxHost(bool is_by_user) {
  std::string memory;
  if (!HostId().empty()) {
    memory = StrCat(HostId(), ":", NamespaceOf("/proc/self/ns/ipc"), ":", NamespaceOf("/proc/self/ns/pid"));
  }
  return {HostName(), std::move(memory), is_by_user || !WhereUcxIsSet().empty(), ThisHost()};
}

UcxNetworks ChooseUcxNetworks(const std::vector<UcxHost>& hosts, size_t rank, bool has_peer_errors) {
  if (std::any_of(hosts.begin(), hosts.end(), [](const UcxHost& host) { return host.is_by_user; })) return {};
  const bool share_memory = std::all_of(hosts.begin(), hosts.end(), [&](const UcxHost& host) {
    return host.memory == hosts[0].memory && host.memory != kNoText;
  });
  if (share_memory && has_peer_errors) return {"sm,self", "", "all ranks share this host's memory"};
  std::vector<HostNetwork> networks;
  for (const UcxHost& host : hosts) networks.push_back(host.network);
  const std::optional<std::vector<std::string>> addresses = ChooseAddresses(networks);
  if (!addresses) return {};
  const std::string interface = InterfaceOf((*addresses)[rank]);
  if (interface.empty()) return {};
  std::vector<std::string> devices = RdmaDevices();
  devices.push_back(interface);
  return {"", Join(devices, ","), StrCat("the heartbeats go by ", (*addresses)[rank])};
}

}  // namespace dfrun::comm
