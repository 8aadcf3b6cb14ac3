// Nodes that make, or find, an object of their device that outlives steps: a queue, a table, a variable.
#ifndef DFRUN_SRC_GRAPH_OBJECT_HANDLE_H_
#define DFRUN_SRC_GRAPH_OBJECT_HANDLE_H_

#include <string>

#include "src/graph/graph.h"

namespace dfrun {

// Whether output 0 is a handle, or a reference, to an object that attrs container and shared_name name.
bool NamesObject(const Node& node);

// The name of the node's object in its container: shared_name, or else the node's name.
const std::string& NameOfObject(const Node& node);

// Adds a node NAME/handle whose output 0 is the handle of the same object, and which waits for nothing that the node
// waits for.
Result<Output> AddHandleOf(Graph& graph, NodeId node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_OBJECT_HANDLE_H_
