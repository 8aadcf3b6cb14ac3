#include "src/passes/pipeline.h"

#include "src/passes/awaited_only.h"
#include "src/passes/common_subexpressions.h"
#include "src/passes/constant_folding.h"
#include "src/passes/fuse_bias.h"
#include "src/passes/fuse_descents.h"
#include "src/passes/fuse_elementwise.h"
#include "src/passes/fuse_max_pools.h"
#include "src/passes/fuse_pool_gradients.h"
#include "src/passes/fuse_product_sums.h"
#include "src/passes/fuse_relu_gradients.h"
#include "src/passes/keep_pool_places.h"
#include "src/passes/merge_reads.h"
#include "src/passes/share_panels.h"

namespace dfrun {
namespace {

// From here on a pass over memory costs more than a node.
constexpr int64_t kLeastFusedElements = 1024;
// Columns of wider tensors are gone over row by row: in shorter rows what a step costs beside its elements outweighs a
// copy.
constexpr int64_t kLeastFusedColumns = 128;

}  // namespace

Status OptimizeGraph(Graph& graph, const PipelineOptions& options) {
  DropAwaitedOnly(graph);
  // Folding first: what it leaves are Consts, of which many are equal.
  DF_TRY(FoldConstants(graph, options.kernels, options.device, options.max_constant_bytes)
             .Annotate("while folding constants"));
  DF_TRY(MergeCommonSubexpressions(graph).Annotate("while merging common subexpressions"));
  DF_TRY(MergeReads(graph).Annotate("while merging reads of variables"));
  DF_TRY(FuseBias(graph).Annotate("while fusing biases"));
  DF_TRY(FuseMaxPools(graph).Annotate("while fusing max pooling"));
  DF_TRY(FusePoolGradients(graph).Annotate("while fusing gradients of pooling"));
  DF_TRY(KeepPoolPlaces(graph).Annotate("while keeping places of pooling"));
  DF_TRY(FuseReluGradients(graph).Annotate("while fusing gradients of Relu"));
  DF_TRY(FuseProductSums(graph).Annotate("while fusing sums of products"));
  DF_TRY(FuseDescents(graph).Annotate("while fusing steps of gradient descent"));
  DF_TRY(SharePanels(graph).Annotate("while sharing operands of products"));
  // Last: what the others look for is no longer there.
  return FuseElementwise(graph, kLeastFusedElements, kLeastFusedColumns).Annotate("while fusing element-wise nodes");
}

}  // namespace dfrun
