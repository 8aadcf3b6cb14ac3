// A step of gradient descent as a part of the matrix product that gives the gradient: neither does the gradient go
// through memory, nor does the weight once more.
#ifndef DFRUN_SRC_PASSES_FUSE_DESCENTS_H_
#define DFRUN_SRC_PASSES_FUSE_DESCENTS_H_

#include "src/graph/graph.h"

namespace dfrun {

// (Resource)ApplyGradientDescent of a variable by a MatMul or a _MatMulSum (perhaps by an Identity, as TensorFlow's
// gradients have it), and AssignSub (AssignSubVariableOp) of one times a scalar, become a
// _MatMul(Resource)ApplyGradientDescent, with the same bits, where nothing else reads the gradient, all have one
// device, and every other reader of the variable runs before the update or after it: the update now takes as long as
// the product. Left alone are small weights and products of great depth, where it would gain nothing, and graphs whose
// registry has no such ops.
Status FuseDescents(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_DESCENTS_H_
