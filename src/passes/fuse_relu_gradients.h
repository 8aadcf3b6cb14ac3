// The gradient of a Relu as a part of the matrix product that gives the gradient by the Relu's result.
#ifndef DFRUN_SRC_PASSES_FUSE_RELU_GRADIENTS_H_
#define DFRUN_SRC_PASSES_FUSE_RELU_GRADIENTS_H_

#include "src/graph/graph.h"

namespace dfrun {

// ReluGrad of a MatMul of float or double that nothing else reads, perhaps by an Identity, becomes a _FusedMatMul, with
// the same bits, where they have one device. Who waits for the product waits for the fused node.
//
// TensorFlow's gradients have the Identity wait, by a NoOp, for the other products of the same gradient too. The fused
// node waits for their inputs instead, where they have no effect but their values. Graphs with control flow, where
// waiting passes deadness on, are left alone.
Status FuseReluGradients(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_RELU_GRADIENTS_H_
