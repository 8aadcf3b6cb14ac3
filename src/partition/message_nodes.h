// The nodes that the partitioner adds for a message, by their names.
#ifndef DFRUN_SRC_PARTITION_MESSAGE_NODES_H_
#define DFRUN_SRC_PARTITION_MESSAGE_NODES_H_

#include <string>
#include <string_view>

#include "src/graph/graph.h"

namespace dfrun {

// The name of a node that is added for a value of `source`. It is made unique by the graph.
std::string CompressedName(const Node& source, int32_t port);
std::string RestoredName(const Node& source, int channel);
std::string ReadName(const Node& source);

// Whether the node is a Send or Recv, or is named by one of the functions above.
// Thread safety: any thread.
bool IsOfMessage(const Node& node);
// Whether the node is the Cast behind the Recv of a compressed value.
bool RestoresMessage(const Graph& graph, const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_MESSAGE_NODES_H_
