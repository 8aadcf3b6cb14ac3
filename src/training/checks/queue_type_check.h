// Checks the types of values that enter and leave queues and accumulators against those that the objects hold.
#ifndef DFRUN_SRC_TRAINING_CHECKS_QUEUE_TYPE_CHECK_H_
#define DFRUN_SRC_TRAINING_CHECKS_QUEUE_TYPE_CHECK_H_

#include "src/graph/graph.h"

namespace dfrun {

// Returns InvalidArgument where a node enqueues or dequeues components of other dtypes or shapes than the queue behind
// its handle has, or asks for a batch of components without shapes, or where it adds to or takes from an accumulator of
// another dtype; of those whose maker the graph shows. Also where two nodes ask the same device for a queue of one
// shared_name and different types. The kernels find the same, in the step.
Status CheckQueueElements(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_CHECKS_QUEUE_TYPE_CHECK_H_
