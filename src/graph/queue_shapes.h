// The shapes and dtypes of a queue's elements, found at the node that made its handle.
#ifndef DFRUN_SRC_GRAPH_QUEUE_SHAPES_H_
#define DFRUN_SRC_GRAPH_QUEUE_SHAPES_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// The shapes of the components of an element, in order; empty if they are not known. Looks through ops that pass the
// handle on.
std::vector<PartialShape> QueueShapes(const Graph& graph, Output handle);
// The dtypes of the components; empty if the maker is not known.
std::vector<DType> QueueDTypes(const Graph& graph, Output handle);

bool MakesQueue(const Node& node);
// Returns true if two nodes may make the same queue: kind, capacity, dtypes and shapes are equal.
bool MakeQueuesOfOneType(const Node& a, const Node& b);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_QUEUE_SHAPES_H_
