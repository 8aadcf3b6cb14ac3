#include "src/passes/pipeline.h"

#include "src/passes/awaited_only.h"
#include "src/passes/common_subexpressions.h"
#include "src/passes/constant_folding.h"

namespace dfrun {

Status OptimizeGraph(Graph& graph, const PipelineOptions& options) {
  DropAwaitedOnly(graph);
  // Folding first: what it leaves are Consts, of which many are equal.
  DF_TRY(FoldConstants(graph, options.kernels, options.device, options.max_constant_bytes)
             .Annotate("while folding constants"));
  return MergeCommonSubexpressions(graph).Annotate("while merging common subexpressions");
}

}  // namespace dfrun
