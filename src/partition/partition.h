// Cuts a placed graph into one graph a device, joined by Send and Recv nodes. Source: TensorFlow white paper (2015)
// section 3.2.2, "Cross-Device Communication".
//
// Every edge between two devices becomes a channel: a `_Send` on the one, a `_Recv` on the other, with an integer id.
// There is one channel per tensor and destination device, however many readers the tensor has there, and one per node
// and destination device for all control edges; that one carries a boolean, sent when the node has run. A ref is sent
// by its value at the time of the Send, which comes after every update of the variable for which the reader waits
// (remote_reads.h). A Const has no channel: each device that reads it gets a copy of the same name. `static_shape` is
// set where both ends know dtype and shape and the value cannot be dead: the value is then sent without a header.
// `can_be_dead` is set for values that depend on a Switch and within loops: the header then says whether the value is
// dead, and if so the output of the Recv is dead. Loops may span devices (distributed_loops.h).
//
// A float32 value that travels compressed (src/graph/wire_compression.h) passes a `_Compress` before its Sends, and a
// Cast behind its Recv.
//
// A node with the attr `_after_reads` = true (the update of a variable in a training graph) runs after the variable has
// been read everywhere. A reader on another device reads the sent value: the node waits for every Send of the variable,
// and a control edge from such a reader to it is dropped, so that no message is sent back.
#ifndef DFRUN_SRC_PARTITION_PARTITION_H_
#define DFRUN_SRC_PARTITION_PARTITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/wire_compression.h"
#include "src/placement/cluster.h"

namespace dfrun {

struct Partition {
  std::string device;  // full name
  int rank;
  Graph graph;
};

struct PartitionOptions {
  WireCompression compression = WireCompression::kNone;
  std::vector<std::string> hosts = {};  // by rank; empty: all on one
};

// Returns one partition for each device that has nodes, in the cluster's order. Nodes keep names and order. Channels
// count on from *next_channel. InvalidArgument: a node without a device of the cluster; a ref input from another
// device; a loop across devices that has no LoopCond. Takes time linear in the graph, but for loops: n log n.
Result<std::vector<Partition>> PartitionGraph(const Graph& placed, const Cluster& cluster, int32_t* next_channel,
                                              const PartitionOptions& options = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_PARTITION_H_
