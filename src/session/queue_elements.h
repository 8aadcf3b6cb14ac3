// What goes into a queue and comes out of it, against what the queue holds.
#ifndef DFRUN_SRC_SESSION_QUEUE_ELEMENTS_H_
#define DFRUN_SRC_SESSION_QUEUE_ELEMENTS_H_

#include "src/graph/graph.h"

namespace dfrun {

// InvalidArgument where a node enqueues or dequeues components of other dtypes or shapes than the queue behind its
// handle has, or asks for a batch of components without shapes; of queues whose maker the graph shows. The kernels find
// the same, in the step.
Status CheckQueueElements(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_QUEUE_ELEMENTS_H_
