// What a queue holds, from the node that made its handle.
#ifndef DFRUN_SRC_GRAPH_QUEUE_SHAPES_H_
#define DFRUN_SRC_GRAPH_QUEUE_SHAPES_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Of the components of an element, in order; empty where they are not known. Looks through ops that hand the handle on.
std::vector<PartialShape> QueueShapes(const Graph& graph, Output handle);
// Their dtypes; empty where the maker is not known.
std::vector<DType> QueueDTypes(const Graph& graph, Output handle);

bool MakesQueue(const Node& node);
// Whether two nodes that make queues may make the same: of one kind, capacity, dtypes and shapes.
bool MakeQueuesOfOneType(const Node& a, const Node& b);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_QUEUE_SHAPES_H_
