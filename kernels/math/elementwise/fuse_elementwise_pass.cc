// Clusters of element-wise nodes become each a _FusedElementwise.
#include "kernels/device/cpu_pass.h"
#include "kernels/math/elementwise/fused_elementwise_limits.h"
#include "src/passes/fuse_elementwise.h"

namespace dfrun {
namespace {

// The number of elements from which on a pass over memory costs more than a node.
constexpr int64_t kMinElements = 1024;
// A cluster reads columns of wider tensors row by row: in shorter rows the overhead of a step
// outweighs a copy.
constexpr int64_t kMinColumns = 128;

Status Fuse(Graph& graph, const PassContext& /*context*/) {
  return FuseElementwise(graph, {kMinElements, kMaxSteps, kMaxOperands}, kMinColumns);
}

// Last: it takes nodes that the other passes match.
CPU_PASS("fuse_elementwise", 900, &Fuse);

}  // namespace
}  // namespace dfrun
