// Cuts a placed graph into one graph a device, joined by Send and Recv nodes.
// Source: TensorFlow white paper (2015) section 3.2.2, "Cross-Device Communication".
//
// Every edge between two devices becomes a channel: a `_Send` on the one, a `_Recv` on the other, with an integer id.
// There is one channel per tensor and destination device, however many readers the tensor has there, and one per node
// and destination device for all control edges; that one carries a boolean made by a Const behind the node. A ref is
// sent by its value.
// `static_shape` is set, and `shape` with it, where both ends know dtype and shape: no header travels then.
//
// Loops that span devices (each device's part then needs a control loop of its own, driven by the device that holds the
// loop's condition) belong in a file of their own, between the check of the graph and the cut; until then a graph with
// Enter or NextIteration edges across devices is refused.
#ifndef DFRUN_SRC_PARTITION_PARTITION_H_
#define DFRUN_SRC_PARTITION_PARTITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/placement/cluster.h"

namespace dfrun {

struct Partition {
  std::string device;  // full name
  int rank;
  Graph graph;
};

// One partition for each device that has nodes, in the cluster's order. Nodes keep names and order. Channels count on
// from *next_channel. InvalidArgument: a node without a device of the cluster. Takes time linear in the graph.
Result<std::vector<Partition>> PartitionGraph(const Graph& placed, const Cluster& cluster, int32_t* next_channel);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_PARTITION_H_
