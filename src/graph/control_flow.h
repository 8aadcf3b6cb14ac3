// Frames: the loops of a graph and the nodes in each.
//
// Frame 0 is the graph itself. An Enter makes a frame of its name inside its own frame; all Enters of that frame with
// one name share it. A node runs in the frame of its inputs; an Enter runs in the outer frame and its output belongs to
// the inner one, an Exit the other way round. Source: white paper section 4.4.
#ifndef DFRUN_SRC_GRAPH_CONTROL_FLOW_H_
#define DFRUN_SRC_GRAPH_CONTROL_FLOW_H_

#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// The kind of the op of this name; kNone if there is no such op. With a node at hand, ask its op's traits.
ControlFlowKind ControlFlowKindOf(std::string_view op);

struct Frame {
  std::string name;  // the frame_name of its Enters
  int32_t parent = -1;
  int64_t parallel_iterations = 1;
  std::vector<NodeId> enters;
};

struct FrameTree {
  static constexpr int32_t kAny = -1;
  std::vector<Frame> frames;        // a parent before its children
  std::vector<int32_t> of_node;     // the frame in whose iterations a node runs
  std::vector<int32_t> of_outputs;  // the frame whose nodes may read the node; kAny: all
};

// Returns true if the graph has a primitive of conditionals or loops, or receives values that may be dead.
bool HasControlFlow(const Graph& graph);

// A node without inputs runs in frame 0, and nodes of any frame may read it: its value does not depend on an iteration.
// InvalidArgument names a node whose other inputs come from several frames, or an Exit outside of any.
Result<FrameTree> BuildFrameTree(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_CONTROL_FLOW_H_
