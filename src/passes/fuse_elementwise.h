// Element-wise nodes as one node, which goes over memory once where each of them would.
#ifndef DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_
#define DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_

#include "src/graph/graph.h"
#include "src/passes/elementwise_clusters.h"

namespace dfrun {

// Clusters become each a _FusedElementwise of the name of its last member, with the same bits: the values that others
// read are its outputs. Columns of wider tensors that only clusters take, of `least_columns` and more, they read where
// they are. Graphs with control flow, where waiting passes deadness on, are left alone.
Status FuseElementwise(Graph& graph, const ClusterRules& rules, int64_t least_columns);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_
