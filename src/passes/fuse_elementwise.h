// Fuses element-wise nodes into one node, which reads and writes memory once instead of once a node.
#ifndef DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_
#define DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_

#include "src/graph/graph.h"
#include "src/passes/elementwise_clusters.h"

namespace dfrun {

// Clusters become each a _FusedElementwise of the name of its last member, with the same bits: the values that others
// read are its outputs. Clusters read columns of wider tensors, of `least_columns` and more, that only clusters take,
// where they are. Graphs with control flow, where waiting passes deadness on, are left alone.
Status FuseElementwise(Graph& graph, const ClusterRules& rules, int64_t least_columns);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_
