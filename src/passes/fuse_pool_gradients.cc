#include "src/passes/fuse_pool_gradients.h"

#include "src/passes/fusion.h"

namespace dfrun {
namespace {

std::optional<Fusion> FuseAt(const FusionView& view, const Node& pool) {
  if (pool.op->name != "MaxPoolGrad") return {};
  const Node* relu = view.OnlyReader(pool, 0);
  if (relu == nullptr || relu->op->name != "ReluGrad" || !(relu->inputs[1] == pool.inputs[0])) return {};
  return Fusion{relu->id, {pool.id}, "_MaxPoolReluGrad", pool.inputs, pool.attrs};
}

}  // namespace

Status FusePoolGradients(Graph& graph) {
  return graph.ops().Find("_MaxPoolReluGrad") == nullptr ? Status() : FuseNodes(graph, &FuseAt);
}

}  // namespace dfrun
