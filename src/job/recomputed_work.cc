#include "src/job/recomputed_work.h"

#include <algorithm>
#include <cmath>

#include "src/base/units.h"
#include "src/framework/device/device_factory.h"
#include "src/graph/node_cost.h"

namespace dfrun {
namespace {

double SecondsOf(const std::vector<DevicePart>& parts) {
  double seconds = 0;
  for (const DevicePart& part : parts) {
    const Result<DeviceName> device = DeviceName::Parse(part.partition->device);
    const std::optional<DeviceSpeed> known = device.ok() ? SpeedOf(*device->type) : std::nullopt;
    const DeviceSpeed speed = known ? *known : *SpeedOf(HostDeviceType());
    const Graph& graph = part.partition->graph;
    for (const Node& node : graph.nodes()) seconds += NodeSeconds(NodeCost(graph, node), speed);
  }
  return seconds;
}

int64_t StepBytesOn(const std::string& device, const std::vector<MemoryEstimate>& estimates) {
  for (const MemoryEstimate& estimate : estimates) {
    if (estimate.device == device) return estimate.step_bytes;
  }
  return 0;
}

}  // namespace

std::string DescribeRecomputation(const std::vector<DevicePart>& with, const std::vector<DevicePart>& without) {
  const std::vector<MemoryEstimate> before = EstimateDevices(without);
  const auto most =
      std::max_element(before.begin(), before.end(),
                       [](const MemoryEstimate& a, const MemoryEstimate& b) { return a.step_bytes < b.step_bytes; });
  if (most == before.end()) return "";
  const int64_t now = StepBytesOn(most->device, EstimateDevices(with));
  const double added = SecondsOf(with) / SecondsOf(without) - 1;
  if (added == 0 && now == most->step_bytes) return "recompute: no value is computed a second time";
  return StrCat("recompute: about ", BytesText(now), " of values in a step instead of ", BytesText(most->step_bytes),
                " on ", most->device, ", for ", std::lround(added * 100), "% more work");
}

}  // namespace dfrun
