#include "src/framework/device/device_types.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "src/base/status.h"
#include "src/framework/device/device_speed.h"

namespace dfrun {
namespace {

using TypeNames = std::set<std::string, std::less<>>;

// The one list of words: in the order in which devices are preferred where nothing else decides.
constexpr std::string_view kTypes[] = {"cpu", "gpu"};
// Speeds by type: a few CPU cores whose data are in no cache; a GPU of some years, whose nodes are enqueued one by one.
constexpr DeviceSpeed kSpeeds[] = {
    {.flops = 5e10, .bytes = 1e10, .node_seconds = 5e-8, .link_bytes = 0, .step_seconds = 0},
    {.flops = 2e13, .bytes = 1.5e12, .node_seconds = 3e-6, .link_bytes = 2e10, .step_seconds = 2e-5},
};
static_assert(std::size(kTypes) == std::size(kSpeeds));

// The registered types, by name.
TypeNames& Registered() {
  static TypeNames& types = *new TypeNames();
  return types;
}

bool IsInTable(std::string_view type) {
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

}  // namespace

std::optional<DeviceSpeed> SpeedOf(std::string_view type) {
  const auto* const at = std::find(std::begin(kTypes), std::end(kTypes), type);
  if (at == std::end(kTypes)) return {};
  return kSpeeds[at - std::begin(kTypes)];
}

std::string_view HostDeviceType() {
  return kTypes[0];
}

std::vector<std::string> KnownDeviceTypes() {
  std::vector<std::string> types(std::begin(kTypes), std::end(kTypes));
  for (const std::string& type : Registered()) {
    if (!IsInTable(type)) types.push_back(type);
  }
  return types;
}

std::vector<std::string> RegisteredDeviceTypes() {
  std::vector<std::string> types = KnownDeviceTypes();
  std::erase_if(types, [](const std::string& type) { return !IsRegisteredDeviceType(type); });
  return types;
}

bool IsRegisteredDeviceType(std::string_view word) {
  return Registered().contains(word);
}

bool IsDeviceType(std::string_view word) {
  return IsInTable(word) || IsRegisteredDeviceType(word);
}

std::string DeviceCountKey(std::string_view type) {
  return StrCat(type, "s");
}

std::string DeviceMemoryKey(std::string_view type) {
  return type == HostDeviceType() ? "memory" : StrCat(type, "_memory");
}

std::vector<std::string> CountedDeviceTypes() {
  std::vector<std::string> types = KnownDeviceTypes();
  types.erase(types.begin());
  return types;
}

namespace internal {
void AddDeviceType(std::string_view type) {
  Registered().emplace(type);
}
}  // namespace internal

}  // namespace dfrun
