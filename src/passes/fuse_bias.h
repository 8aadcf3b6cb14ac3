// A convolution or a matrix product, BiasAdd and Relu as one node: bias and activation are applied to a part of the
// result while it is in the cache, where each would go over it in memory.
#ifndef DFRUN_SRC_PASSES_FUSE_BIAS_H_
#define DFRUN_SRC_PASSES_FUSE_BIAS_H_

#include "src/graph/graph.h"

namespace dfrun {

// Fuses a Conv2D with channels last, or a MatMul of float or double, a BiasAdd that alone reads it, and a Relu that
// alone reads that, where they have one device and nothing waits for one of them alone. The fused node, a _FusedConv2D
// or a _FusedMatMul, has the name of the last. Bits stay.
Status FuseBias(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_BIAS_H_
