// Random nodes whose kernels go through a sequence of numbers, step by step.
#ifndef DFRUN_SRC_SESSION_RANDOM_SEQUENCES_H_
#define DFRUN_SRC_SESSION_RANDOM_SEQUENCES_H_

#include "src/graph/graph.h"

namespace dfrun {

// Whether the node has such a sequence of its own.
bool HasRandomSequence(const Node& node);

// The nodes with a sequence of their own go on in it over all signatures of a session, as TensorFlow's do: each plan
// has kernels of its own, so their positions are objects of the device. `session` tells them from those of other
// sessions. Nodes that have the attr `_position` keep it.
void ShareRandomPositions(Graph& graph, int64_t session);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_RANDOM_SEQUENCES_H_
