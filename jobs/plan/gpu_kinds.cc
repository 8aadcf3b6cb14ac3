#include "jobs/plan/gpu_kinds.h"

#include <algorithm>
#include <iterator>

namespace dfrun::jobs {
namespace {

struct GpuKind {
  std::string_view name;
  double flops_per_s;  // peak in float32, without tensor cores
  double bytes_per_s;  // bandwidth of its memory
};

// Figures of NVIDIA's data sheets, of the SXM boards where there are several. A kernel reaches a part of them.
constexpr GpuKind kKinds[] = {
    {"V100", 15.7e12, 0.9e12},   {"A10", 31.2e12, 0.6e12}, {"A100", 19.5e12, 2.039e12}, {"RTX 4090", 82.6e12, 1.01e12},
    {"L40S", 91.6e12, 0.864e12}, {"H100", 67e12, 3.35e12}, {"H200", 67e12, 4.8e12},
};
// The overhead of a node that is enqueued by itself, as of any GPU (src/framework/device/device_types.cc).
constexpr double kNodeSeconds = 3e-6;

}  // namespace

std::optional<NodeSpeed> SpeedOfGpuKind(std::string_view kind) {
  const auto* const found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const GpuKind& known) { return known.name == kind; });
  if (found == std::end(kKinds)) return {};
  return NodeSpeed{kNodeSeconds, found->flops_per_s, found->bytes_per_s};
}

std::vector<std::string> GpuKinds() {
  std::vector<std::string> names;
  for (const GpuKind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

}  // namespace dfrun::jobs
