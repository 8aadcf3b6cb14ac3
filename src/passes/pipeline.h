// The graph optimisations, in the one order that they run in.
#ifndef DFRUN_SRC_PASSES_PIPELINE_H_
#define DFRUN_SRC_PASSES_PIPELINE_H_

#include <cstdint>

#include "src/framework/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

struct PipelineOptions {
  const KernelRegistry& kernels;
  Device& device;  // a CPU device: constant folding runs kernels on it
  // Larger results of constant folding stay computed: they would only make the partitions larger.
  int64_t max_constant_bytes = int64_t{1} << 20;
};

// Rewrites a pruned graph (its _Retval nodes, its stateful nodes and its nodes without readers are what it is for) into
// one that computes the same values, bit for bit. Takes time linear in the graph, beside the kernels it folds.
// An error leaves the graph unusable.
Status OptimizeGraph(Graph& graph, const PipelineOptions& options);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_PIPELINE_H_
