// The gradients of a convolution's filter and bias as one node with those of the pooling and the Relu behind it.
#ifndef DFRUN_SRC_PASSES_FUSE_FILTER_GRADIENTS_H_
#define DFRUN_SRC_PASSES_FUSE_FILTER_GRADIENTS_H_

#include "src/graph/graph.h"

namespace dfrun {

// A large _MaxPoolReluGrad of float that nothing but one Conv2DBackpropFilter, perhaps by an Identity, and one
// BiasAddGrad read becomes one node with them, a _ConvBiasReluMaxPoolGrad of two outputs, with the same bits, where
// they have one device: so it is with a network's first convolution, whose input wants no gradient. The tensor between
// them, often a network's largest, is never whole in memory. Needs FusePoolGradients().
//
// What waits for one of the nodes waits for all of them. Graphs with control flow, where that could make a value dead,
// are left alone.
Status FuseFilterGradients(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_FILTER_GRADIENTS_H_
