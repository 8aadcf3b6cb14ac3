// A convolution with bias and its max pooling as one node, which pools images while they are in the cache.
#ifndef DFRUN_SRC_PASSES_FUSE_MAX_POOLS_H_
#define DFRUN_SRC_PASSES_FUSE_MAX_POOLS_H_

#include "src/graph/graph.h"

namespace dfrun {

// A _FusedConv2D of float and a MaxPool that reads it become a _FusedConv2DMaxPool of two outputs, with the same bits,
// where they have one device. Needs FuseBias().
Status FuseMaxPools(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_MAX_POOLS_H_
