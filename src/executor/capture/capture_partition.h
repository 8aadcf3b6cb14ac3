// Cuts a partition into subgraphs of nodes that are recorded together (src/framework/device/graph_capture.h), on a
// device that records.
//
// A node can be recorded where its kernel only enqueues on the device, and the values that the host must know for that
// (sizes, axes, the addresses of variables) are the same in every step of the same shapes. Constants and variables are
// no work: each subgraph has its own nodes of them.
//
// A subgraph is as large as can be: nodes stand in different subgraphs where one waits for the other by way of a node
// that is not recorded, or one is left out of steps whose updates are withheld (src/graph/update_gate.h) and the other
// is not.
// A Recv, or a reader of a collective's participant, starts after every Send of equal or smaller transfer depth
// (src/graph/order/transfer_depth.h). So the reply to a Send can come back by a later Recv, and subgraphs of different
// devices cannot deadlock.
#ifndef DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURE_PARTITION_H_
#define DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURE_PARTITION_H_

#include <string>
#include <vector>

#include "src/framework/device/device.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

// The op that stands for a subgraph. Attr `unit`: which one.
inline constexpr const char* kCapturedSubgraphOp = "_Recorded";

struct SubgraphDraft {
  std::string name;
  Graph graph;  // the subgraph's nodes; its feeds are the inputs and its fetches the outputs, by their order
  std::vector<bool> uploaded;  // by input: it comes in host memory, and its readers want it in the device's
};

// A node that works on the device and is not recorded.
struct NotRecorded {
  std::string node;
  std::string op;
  std::string why;  // a part of a sentence: "it ..."
};

struct CapturePartition {
  Graph graph;  // the nodes that are not recorded, and a node for each subgraph
  std::vector<SubgraphDraft> subgraphs;
  std::vector<NotRecorded> rest;
};

// `partition`: with memory copies (memory_copies.h), shapes inferred. A partition with conditionals or loops has no
// subgraphs. Errors name the node.
Result<CapturePartition> PartitionForCapture(const Graph& partition, const Device& device,
                                             const KernelRegistry& kernels);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_CAPTURE_CAPTURE_PARTITION_H_
