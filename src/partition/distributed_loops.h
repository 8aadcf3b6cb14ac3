// Loops across devices: makes each device that takes part in a loop run its iterations by itself.
// Source: TensorFlow white paper (2015) section 4.4.
//
// An iteration must begin on every device that has nodes in it, also on one without any of the loop's own control-flow
// nodes. So each such device gets a control loop in every frame that spans devices:
//
//   Const (of the frame around it: the Merge of the control loop there) -> Enter -> Merge -> Switch -> NextIteration
//                                                                                    ^ the frame's LoopCond
//
// No other NextIteration begins an iteration that this one does not (loop_termination.h). A loop variable that is dead
// when the next iteration begins is dead in it, and is sent as dead. If the LoopCond is on another device, its value is
// sent once an iteration, as all values within a loop are. But a value that is alive exactly where the LoopCond is true
// tells as much: if the device waits for one in any case (predicate_proxies.h), the LoopCond is not sent.
//
//   Merge -> NextIteration <-^ Identity of the value
//
// A Recv in a frame waits for the Merge of its device's control loop. So it runs once in every iteration, dead or
// alive, as the Send does.
//
// The distance between devices is bounded, because a value that was sent waits in the receiver's memory. The device of
// the LoopCond, which all others wait for, hears of each iteration from every other device of the frame: by a value of
// the loop if it reads one, else by a NoOp that waits for the other's Merge. An iteration ends when all that it
// receives has arrived, and parallel_iterations of them run at a time, so the device is at most that many iterations
// ahead.
//
// Nodes that lead into and out of iterations are moved to the device that reads or makes their value, whatever device
// they were given, so that a value is only sent within one iteration:
//   Enter          to its readers, with a copy for each further device: an entering value is sent once a frame;
//   NextIteration  to the Merges that read it, likewise;
//   Exit           to its input: only the value that leaves the loop is sent.
// References and handles are not moved.
#ifndef DFRUN_SRC_PARTITION_DISTRIBUTED_LOOPS_H_
#define DFRUN_SRC_PARTITION_DISTRIBUTED_LOOPS_H_

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {

// The loops of a graph that DistributeLoops() has changed. A default object describes a graph without loops.
struct DistributedFrames {
  // The Merge that drives the frame on each device, by frame of `tree` and device. None for frames on one device.
  std::map<std::pair<int32_t, std::string>, NodeId> drivers;
  // The drivers and all nodes that they depend on, in topological order.
  std::vector<NodeId> first;
  // The frames of the changed graph.
  FrameTree tree;
  // The frame whose nodes may read a node's outputs.
  int32_t FrameOf(NodeId source) const { return tree.of_outputs.empty() ? 0 : std::max(tree.of_outputs[source], 0); }
  // Returns true for a value that any frame may read, from outside of the loop that `reader` is in.
  bool IsOutside(NodeId source, NodeId reader) const {
    return !tree.of_node.empty() && tree.of_node[reader] != 0 && tree.of_outputs[source] == FrameTree::kAny;
  }
};

// Merges loop entries, ends loops by their conditions, and moves the nodes that lead into and out of the loops of a
// placed graph.
Status PrepareLoops(Graph& graph);

// `graph`: placed, and prepared. InvalidArgument: a loop across devices that has no LoopCond, or several; inputs from
// several loops.
Result<DistributedFrames> DistributeLoops(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_DISTRIBUTED_LOOPS_H_
