// Element-wise nodes that hang together as one node, which goes over memory once: what they give to each other stays in
// the first-level cache.
#ifndef DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_
#define DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_

#include <cstdint>

#include "src/graph/graph.h"

namespace dfrun {

// Nodes of FusibleOps() (`src/passes/element_groups.h`) on tensors of one static shape, of `least_elements` and more,
// become a _FusedElementwise where they are meant for one device and no way leads from one of them out of the node and
// into it again. Identities between them, and what waits for them alone, go too; so does what only takes columns of
// wider tensors apart for them, or puts theirs beside each other, `least_columns` and more at a time
// (`src/passes/column_slices.h`). A node does not join others that could run before its operands are there: it would
// keep them waiting. Bits stay. Graphs with control flow stay as they are.
Status FuseElementwise(Graph& graph, int64_t least_elements, int64_t least_columns);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_ELEMENTWISE_H_
