#include "comm/ucx/part/ucx_lanes.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "src/base/text.h"

namespace dfrun::comm {
namespace {

// Returns "sysv/memory" for "lane[0]:  3:sysv/memory.0 md[2] -> ...", without the number of the device before it and
// that of the path behind it.
std::string LaneIn(std::string_view line) {
  constexpr std::string_view kLane = "lane[";
  size_t at = line.find(kLane);
  if (at == std::string_view::npos) return "";
  at = line.find("]:", at);
  if (at == std::string_view::npos) return "";
  at = line.find_first_not_of(' ', at + 2);
  if (at == std::string_view::npos) return "";
  std::string_view name = line.substr(at, line.find(' ', at) - at);
  const size_t digits = name.find_first_not_of("0123456789");
  if (digits != std::string_view::npos && name[digits] == ':') name.remove_prefix(digits + 1);
  const size_t path = name.rfind('.');
  return std::string(path == std::string_view::npos ? name : name.substr(0, path));
}

// Returns "sysv" and "posix" for "sysv/memory, posix/memory".
std::vector<std::string_view> NetworksOf(std::string_view lanes) {
  std::vector<std::string_view> networks;
  while (!lanes.empty()) {
    const size_t end = std::min(lanes.find(", "), lanes.size());
    networks.push_back(lanes.substr(0, std::min(end, lanes.find('/'))));
    lanes.remove_prefix(std::min(end + 2, lanes.size()));
  }
  return networks;
}

bool IsShared(std::string_view network) {
  return network == "sysv" || network == "posix" || network == "xpmem";
}

}  // namespace

std::string LanesIn(std::string_view info) {
  std::vector<std::string> lanes;
  while (!info.empty()) {
    const size_t end = std::min(info.find('\n'), info.size());
    std::string lane = LaneIn(info.substr(0, end));
    if (!lane.empty() && std::find(lanes.begin(), lanes.end(), lane) == lanes.end()) lanes.push_back(std::move(lane));
    info.remove_prefix(std::min(end + 1, info.size()));
  }
  return Join(lanes);
}

std::string LanesOf(ucp_ep_h endpoint) {
  char* text = nullptr;
  size_t bytes = 0;
  std::FILE* const stream = open_memstream(&text, &bytes);
  if (stream == nullptr) return "";
  ucp_ep_print_info(endpoint, stream);
  std::fclose(stream);
  std::string lanes = LanesIn({text, bytes});
  std::free(text);
  return lanes;
}

bool AreSharedMemory(std::string_view lanes) {
  const std::vector<std::string_view> networks = NetworksOf(lanes);
  return !networks.empty() && std::all_of(networks.begin(), networks.end(), [](std::string_view network) {
    return IsShared(network) || network == "cma" || network == "knem";
  });
}

bool CanRead(std::string_view lanes) {
  const std::vector<std::string_view> networks = NetworksOf(lanes);
  return std::any_of(networks.begin(), networks.end(), [](std::string_view network) {
    return IsShared(network) || network.substr(0, 2) == "rc" || network.substr(0, 2) == "dc";
  });
}

}  // namespace dfrun::comm
