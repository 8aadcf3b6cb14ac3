// Nodes whose values nobody reads, but for whose end others wait.
#ifndef DFRUN_SRC_PASSES_AWAITED_ONLY_H_
#define DFRUN_SRC_PASSES_AWAITED_ONLY_H_

#include "src/graph/graph.h"

namespace dfrun {

// Makes a NoOp of every such node that has no effect but its outputs: who waited for it waits for its inputs.
// TensorFlow's gradients group what an op gives all of its inputs, so its training graphs hold the gradient of a
// convolution by the images, which nothing reads. Stateful nodes, nodes without readers of any kind and graphs with
// control flow, where waiting passes deadness on, are left alone. Source: TensorFlow's dependency optimizer.
void DropAwaitedOnly(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_AWAITED_ONLY_H_
