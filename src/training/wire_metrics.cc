#include "src/training/wire_metrics.h"

#include <algorithm>
#include <set>
#include <vector>

#include "src/graph/node_arithmetic.h"
#include "src/graph/wire_compression.h"

namespace dfrun {
namespace {

constexpr int kCounts = 4;  // outputs of _WireStatistics

bool MayCompress(const JobGraphDraft& draft) {
  const auto& nodes = draft.job.graph.nodes();
  return draft.spec.compression != WireCompression::kNone ||
         std::any_of(nodes.begin(), nodes.end(), &IsMarkedCompressed);
}

// Returns the first device of the host's type of each rank.
std::vector<std::string> HostDevices(const Cluster& cluster) {
  std::set<int> ranks;
  std::vector<std::string> devices;
  for (const ClusterDevice& device : cluster.devices) {
    if (ranks.insert(device.rank).second) devices.push_back(device.name.ToString());
  }
  return devices;
}

}  // namespace

Status AddWireMetrics(JobGraphDraft& draft) {
  if (!MayCompress(draft)) return Status();
  std::vector<Output> counts[kCounts];
  GraphOps ops(draft.job.graph, "wire", "");
  for (const std::string& device : HostDevices(draft.cluster)) {
    ops.set_device(device);
    const Output first = ops.Add("statistics", "_WireStatistics", {});
    for (int i = 0; i < kCounts; ++i) counts[i].push_back({first.node, i});
  }
  ops.set_device(draft.workers[0]);
  const auto sum = [&](int i) { return ops.Add("sum", "AddN", counts[i]); };
  const Output ratio = ops.Add("ratio", "DivNoNan", {sum(1), sum(0)});
  const Output error = ops.Add("error", "DivNoNan", {sum(2), sum(3)});
  DF_TRY(ops.status());
  JobStep& step = draft.job.step;
  for (const auto& [name, value] : {std::pair{"wire/ratio", ratio}, std::pair{"wire/error", error}}) {
    step.signature.fetches.push_back(value);
    step.names.emplace_back(name);
  }
  return Status();
}

}  // namespace dfrun
