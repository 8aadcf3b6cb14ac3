// Shapes of a whole graph. A loop's body is inferred with what enters the loop first; where an iteration hands on
// another shape, the loop is inferred again with what both have in common, until no shape changes.
#include <unordered_map>
#include <utility>

#include "src/graph/graph.h"
#include "src/graph/shape_inference.h"

namespace dfrun {
namespace {

using LoopShapes = std::unordered_map<NodeId, PartialShape>;  // of Merges with a back edge

// Lowers the shapes of Merges to what their back edges bring too; false if they fit already.
bool LowerToBackEdges(const Graph& graph, LoopShapes& shapes) {
  bool lowered = false;
  for (const Node& node : graph.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!graph.IsBackEdge(node, i)) continue;
      const PartialShape& assumed = node.output_shapes[0];
      PartialShape common = CommonShape(assumed, graph.shape(node.inputs[i]));
      if (common == assumed) continue;
      shapes[node.id] = std::move(common);
      lowered = true;
    }
  }
  return lowered;
}

// Nothing is known of what a loop hands on; false if that was so already.
bool ForgetLoopShapes(const Graph& graph, LoopShapes& shapes) {
  bool forgot = false;
  for (const Node& node : graph.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (graph.IsBackEdge(node, i) && shapes.insert_or_assign(node.id, PartialShape()).second) forgot = true;
    }
  }
  return forgot;
}

}  // namespace

Status Graph::InferShapes() {
  DF_ASSIGN(const std::vector<NodeId> order, TopologicalOrder());
  LoopShapes loops;
  for (;;) {
    Status status = InferInOrder(order, loops);
    // An error may come of a shape that does not hold after the first iteration.
    const bool again = status.ok() ? LowerToBackEdges(*this, loops) : ForgetLoopShapes(*this, loops);
    if (!again) return status;
  }
}

Status Graph::InferInOrder(const std::vector<NodeId>& order, const LoopShapes& loops) {
  for (NodeId id : order) {
    Node& node = nodes_[id];
    if (Status status = InferNode(node); !status.ok()) return AtNode(node, status);
    if (loops.empty()) continue;
    if (auto it = loops.find(id); it != loops.end()) node.output_shapes[0] = it->second;
  }
  return Status();
}

}  // namespace dfrun
