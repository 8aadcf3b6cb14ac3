// The gradients of max pooling and of the Relu before it as one node, which goes over the images once.
#ifndef DFRUN_SRC_PASSES_FUSE_POOL_GRADIENTS_H_
#define DFRUN_SRC_PASSES_FUSE_POOL_GRADIENTS_H_

#include "src/graph/graph.h"

namespace dfrun {

// Fuses ReluGrad(MaxPoolGrad(x, y, dy), x) where nothing else reads the inner gradient. Bits stay.
Status FusePoolGradients(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_POOL_GRADIENTS_H_
