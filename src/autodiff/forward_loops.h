// The loops of a graph that is differentiated: their variables, and in which order they and the nodes around them run.
#ifndef DFRUN_SRC_AUTODIFF_FORWARD_LOOPS_H_
#define DFRUN_SRC_AUTODIFF_FORWARD_LOOPS_H_

#include <vector>

#include "src/graph/control_flow.h"

namespace dfrun {

struct LoopVariable {
  NodeId merge = -1;
  NodeId enter = -1;
  NodeId next_iteration = -1;
  NodeId leaves = -1;         // the Switch on the loop's condition that reads the Merge; -1: there is none
  std::vector<NodeId> exits;  // the Exits of `leaves`
};

struct ForwardLoop {
  NodeId condition = -1;  // the LoopCond
  std::vector<LoopVariable> variables;
  std::vector<NodeId> constants;  // Enters whose value all iterations see
};

// Returns Unimplemented where the frame is not of the form that while loops have: one LoopCond, and Merges of an Enter
// and a NextIteration.
Result<ForwardLoop> FindLoop(const Graph& graph, const FrameTree& frames, const Consumers& consumers,
                             const std::vector<NodeId>& nodes_of_frame, int32_t frame);

// A node of a frame, or a whole loop inside it.
struct FlowUnit {
  NodeId node = -1;
  int32_t loop = -1;  // the frame of a loop; -1: `node` stands for itself
};

// Returns, by frame, its nodes and the loops directly inside it, each after all of its inputs. `order`: topological,
// back edges of loops aside. A loop is one unit, from its Enters (which belong to the frame around it) to its Exits.
std::vector<std::vector<FlowUnit>> OrderUnits(const Graph& graph, const FrameTree& frames,
                                              const std::vector<NodeId>& order);

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_FORWARD_LOOPS_H_
