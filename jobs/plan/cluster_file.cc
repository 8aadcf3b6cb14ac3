#include "jobs/plan/cluster_file.h"

#include <memory>
#include <utility>
#include <vector>

#include "jobs/plan/gpu_kinds.h"
#include "src/base/counted.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/framework/device/device_types.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/section.h"
#include "src/spec/yaml/source_text.h"

namespace dfrun::jobs {
namespace {

// More nodes, or ranks of a node, than any cluster has.
constexpr int64_t kMaxCount = int64_t{1} << 20;

constexpr double kMaxLatencyS = 3600;

struct LinkKey {
  const char* name;
  PairClass pair;
};
constexpr LinkKey kLinks[] = {
    {"core", PairClass::kSameProcess}, {"node", PairClass::kSameHost}, {"network", PairClass::kNetwork}};

KeyDef CountKey(std::string name, int64_t minimum) {
  return {.name = std::move(name), .kind = KeyKind::kInt, .minimum = minimum, .maximum = kMaxCount};
}

KeyDef BytesKey(std::string name) {
  return {.name = std::move(name), .kind = KeyKind::kBytes, .minimum = 1};
}

std::vector<KeyDef> DeviceKeys() {
  KeyDef count = CountKey("count", 0);
  count.maximum = kMaxDevicesOfType;
  return {std::move(count), {.name = "kind"}, BytesKey("memory")};
}

std::vector<KeyDef> LinkKeys() {
  return {{.name = "latency", .kind = KeyKind::kSeconds}, BytesKey("bandwidth")};
}

std::vector<KeyDef> ClusterKeys() {
  std::vector<KeyDef> keys = {CountKey("nodes", 1), CountKey("cores", 1), BytesKey("memory"),
                              CountKey("ranks_per_node", 1)};
  for (const std::string& type : CountedDeviceTypes())
    keys.push_back({.name = DeviceCountKey(type), .kind = KeyKind::kMapping, .keys = DeviceKeys()});
  KeyDef links = {.name = "links", .kind = KeyKind::kMapping};
  for (const LinkKey& link : kLinks)
    links.keys.push_back({.name = link.name, .kind = KeyKind::kMapping, .keys = LinkKeys()});
  keys.push_back(std::move(links));
  return keys;
}

// Reads one file. Errors go to the diagnostics.
class ClusterReader {
 public:
  ClusterReader(const Yaml& root, Diagnostics& diagnostics)
      : root_(root), diagnostics_(diagnostics), reader_(params_, diagnostics) {}

  ClusterDescription Read() {
    const std::vector<KeyDef> keys = ClusterKeys();
    if (!CheckKeys(root_, keys, "the file of a cluster", diagnostics_)) return std::move(cluster_);
    Need(root_, "the file of a cluster", keys, "nodes", cluster_.nodes);
    Need(root_, "the file of a cluster", keys, "cores", cluster_.cores);
    Need(root_, "the file of a cluster", keys, "memory", cluster_.memory_bytes);
    ReadKey(root_, keys, "ranks_per_node", reader_, cluster_.ranks_per_node);
    for (const std::string& type : CountedDeviceTypes()) ReadDevices(type);
    ReadLinks();
    if (!diagnostics_.ok()) return std::move(cluster_);
    cluster_.size_location = diagnostics_.Print(FindKey(root_, "nodes")->location());
    CheckShares();
    return std::move(cluster_);
  }

 private:
  // Reads a number that must be there.
  template <class T>
  void Need(const Yaml& map, std::string_view what, const std::vector<KeyDef>& keys, std::string_view key, T& out) {
    if (!FindKey(map, key)) {
      diagnostics_.Error(map.location(), what, " lacks '", key, "'");
    } else {
      ReadKey(map, keys, key, reader_, out);
    }
  }

  void ReadDevices(const std::string& type) {
    const std::string key = DeviceCountKey(type);
    const std::optional<Yaml> value = FindKey(root_, key);
    const std::vector<KeyDef> keys = DeviceKeys();
    const std::string what = StrCat("'", key, "'");
    if (!value || !CheckKeys(*value, keys, what, diagnostics_)) return;
    NodeDevices devices;
    Need(*value, what, keys, "count", devices.count);
    ReadKey(*value, keys, "memory", reader_, devices.memory_bytes);
    if (const std::optional<Yaml> kind = FindKey(*value, "kind")) devices.kind = ReadKind(*kind);
    cluster_.devices[type] = std::move(devices);
  }

  std::string ReadKind(const Yaml& value) {
    std::string kind = reader_.Text(value, "'kind'").value_or("");
    if (kind.empty() || SpeedOfGpuKind(kind)) return kind;
    diagnostics_.Error(value.location(), "the speed of a '", kind, "' is not known", DidYouMean(kind, GpuKinds()),
                       "; known are ", Join(GpuKinds()), ": leave 'kind' out for another, and give --cost-file");
    return "";
  }

  void ReadLinks() {
    const std::optional<Yaml> links = FindKey(root_, "links");
    if (!links) return;
    std::vector<std::string> names;
    for (const LinkKey& link : kLinks) names.emplace_back(link.name);
    if (!CheckKeys(*links, names, "'links'", diagnostics_)) return;
    for (const LinkKey& link : kLinks) {
      if (const std::optional<Yaml> value = FindKey(*links, link.name)) ReadLink(link, *value);
    }
  }

  void ReadLink(const LinkKey& link, const Yaml& value) {
    const std::vector<KeyDef> keys = LinkKeys();
    const std::string what = StrCat("'", link.name, "'");
    if (!CheckKeys(value, keys, what, diagnostics_)) return;
    PairSpeed speed;
    int64_t bandwidth = 1;
    Need(value, what, keys, "latency", speed.latency_s);
    Need(value, what, keys, "bandwidth", bandwidth);
    if (speed.latency_s > kMaxLatencyS) {
      diagnostics_.Error(FindKey(value, "latency")->location(), "a latency of ", speed.latency_s, " s is more than ",
                         kMaxLatencyS, " s, the most that is forecast");
    }
    speed.bytes_per_s = static_cast<double>(bandwidth);
    cluster_.links[link.pair] = speed;
  }

  // Each rank has cores of its own, and as many GPUs as another.
  void CheckShares() {
    const SourceLocation at = FindKey(root_, "ranks_per_node").value_or(root_).location();
    if (cluster_.ranks_per_node > cluster_.cores) {
      diagnostics_.Error(at, cluster_.ranks_per_node, " ranks of a node are more than its ",
                         Counted(cluster_.cores, "core"));
    }
    for (const auto& [type, devices] : cluster_.devices) {
      if (devices.count % cluster_.ranks_per_node == 0) continue;
      diagnostics_.Error(at, "the ", cluster_.ranks_per_node, " ranks of a node would share its ", devices.count, " ",
                         DeviceCountKey(type), " unevenly, which is not forecast: make ", DeviceCountKey(type),
                         " a multiple of the ranks");
    }
  }

  const Yaml root_;
  Diagnostics& diagnostics_;
  const Params params_;
  ValueReader reader_;
  ClusterDescription cluster_;
};

}  // namespace

Status ClusterDescription::CheckRanks(int ranks) const {
  if (ranks <= MaxRanks()) return Status();
  return Error(Code::kBadSpec, size_location, ": ", ranks, " ranks are more than ", Counted(nodes, "node"), " with ",
               Counted(ranks_per_node, "rank"), " each ", nodes == 1 ? "has" : "have", ", ", MaxRanks());
}

DeviceCounts ClusterDescription::DevicesOfRank() const {
  DeviceCounts counts;
  for (const std::string& type : CountedDeviceTypes()) {
    const auto found = devices.find(type);
    counts[type] = found == devices.end() ? 0 : static_cast<int>(found->second.count / ranks_per_node);
  }
  return counts;
}

void ClusterDescription::SetMemory(Cluster& cluster) const {
  for (ClusterDevice& device : cluster.devices) {
    const auto found = devices.find(*device.name.type);
    if (found != devices.end()) {
      device.memory_bytes = found->second.memory_bytes;
    } else if (*device.name.type == HostDeviceType()) {
      device.memory_bytes = memory_bytes / ranks_per_node;
    }
  }
}

void ClusterDescription::SetSpeeds(CostTable& costs) const {
  for (const auto& [pair, speed] : links) costs.SetPair(pair, speed);
  for (const auto& [type, of_node] : devices) {
    if (const std::optional<NodeSpeed> speed = SpeedOfGpuKind(of_node.kind)) costs.AssumeNodes(type, *speed);
  }
}

Result<ClusterDescription> ReadClusterFile(const std::string& path) {
  Result<std::string> text = ReadFile(path, kMaxSpecBytes);
  if (text.status().code() == Code::kNotFound) return Error(Code::kNoInput, text.status().message());
  DF_TRY(text.status());
  Diagnostics diagnostics;
  const int32_t file = diagnostics.AddFile(path);
  if (!CheckSpecText(*text, file, diagnostics)) return diagnostics.ToStatus();
  const std::unique_ptr<YamlDocument> document = YamlDocument::Parse(*std::move(text), file, diagnostics);
  if (document == nullptr) return diagnostics.ToStatus();
  ClusterDescription cluster = ClusterReader(document->root(), diagnostics).Read();
  DF_TRY(diagnostics.ToStatus());
  return cluster;
}

}  // namespace dfrun::jobs
