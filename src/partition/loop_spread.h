// Loops across devices: makes each device that takes part in a loop run its iterations by itself.
// Source: TensorFlow white paper (2015) section 4.4.
//
// An iteration must begin on every device that has nodes in it, also where nothing of the loop's own control structure
// is. So each such device gets a control loop in every frame that spans devices:
//
//   Const (of the frame around it: the Merge of the control loop there) -> Enter -> Merge -> Switch -> NextIteration
//                                                                                    ^ the frame's LoopCond
//
// No other NextIteration begins an iteration that this one does not (loop_ends.h). A value that is dead when the next
// iteration begins is dead there, and is sent so. Where the LoopCond is on another device, its value crosses once an
// iteration, as all values within a loop do. But a value that is alive just where the LoopCond is true tells as much:
// where the device waits for one in any case (loop_signals.h), it is all that crosses.
//
//   Merge -> NextIteration <-^ Identity of the value
//
// A Recv in a frame waits for the Merge of its device's control loop: it runs once in every iteration, dead or alive,
// as the Send does.
//
// How far the devices may be apart: what is sent is gone for the sender, and waits in the receiver's memory. So the
// device of the LoopCond, without which nobody goes on, must hear of each iteration from every other device of the
// frame: by a value of the loop where it reads one, else by a NoOp there that waits for the other's Merge. An iteration
// ends when what it receives has come, and parallel_iterations of them run at a time: that many ahead is the most.
//
// What leads into and out of iterations stands where its value is wanted or made, whatever device it was given, so that
// only values of the same iteration cross:
//   Enter          where it is read, with a copy for each further device: what enters a loop crosses once a frame;
//   NextIteration  where the Merges are that read it, likewise;
//   Exit           where its input is: only the value that leaves crosses.
// References and handles stay where they are.
#ifndef DFRUN_SRC_PARTITION_LOOP_SPREAD_H_
#define DFRUN_SRC_PARTITION_LOOP_SPREAD_H_

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {

// The loops of a graph that SpreadLoops() has changed. As it is made: a graph without loops.
struct SpreadFrames {
  // By frame of `tree` and device: the Merge that drives the frame there. None for frames on one device.
  std::map<std::pair<int32_t, std::string>, NodeId> drivers;
  // The drivers and all that they depend on, each behind what it reads.
  std::vector<NodeId> first;
  // Of the graph as it is now.
  FrameTree tree;
  // The frame whose nodes may read a node's outputs.
  int32_t FrameOf(NodeId source) const { return tree.of_outputs.empty() ? 0 : std::max(tree.of_outputs[source], 0); }
  // True for a value that any frame may read, from outside of the loop that `reader` is in.
  bool IsOutside(NodeId source, NodeId reader) const {
    return !tree.of_node.empty() && tree.of_node[reader] != 0 && tree.of_outputs[source] == FrameTree::kAny;
  }
};

// `graph`: placed. InvalidArgument: a loop across devices that has no LoopCond, or several; inputs from several loops.
Result<SpreadFrames> SpreadLoops(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_LOOP_SPREAD_H_
