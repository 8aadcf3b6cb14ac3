// Transfer depth: the largest number of device-to-device copies on any path to a node. It orders the Sends and Recvs of
// one partition where its own edges do not: the value of a Send, however it goes on elsewhere, comes back only by Recvs
// of greater depth.
#ifndef DFRUN_SRC_GRAPH_ORDER_TRANSFER_DEPTH_H_
#define DFRUN_SRC_GRAPH_ORDER_TRANSFER_DEPTH_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// An attr of Sends, Recvs and participants of collectives on devices other than hosts.
inline constexpr const char* kTransferDepthAttr = "_transfer_depth";

// The attr's value; of a node without it 0.
int TransferDepthOf(const Node& node);

// Returns the transfer depth of each node's inputs; `device` gives each node's device as a number. A participant of a
// collective is one deeper than the inputs of all members. `order`: OrderWithParticipants(). Edges that
// close loops do not count.
Result<std::vector<int>> FindTransferDepths(const Graph& graph, const std::vector<NodeId>& order,
                                            const std::vector<int>& device);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_TRANSFER_DEPTH_H_
