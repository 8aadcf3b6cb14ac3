// Infers the shapes of a node, and of a whole graph. A loop's body is first inferred with the shapes that enter the
// loop. Where an iteration gives the next one another shape, the loop is inferred again with the common part of both,
// until no shape changes.
#include <unordered_map>
#include <utility>

#include "src/graph/constant_evaluation.h"
#include "src/graph/graph.h"
#include "src/graph/shape_inference.h"

namespace dfrun {
namespace {

using LoopShapes = std::unordered_map<NodeId, PartialShape>;  // by Merge with a back edge

// Lowers the shapes of Merges to their common part with those of their back edges; false if nothing changes.
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

// Makes the shapes of all loop variables unknown; false if they were already.
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

Status Graph::InferNode(Node& node) {
  DF_TRY(InferNodeShapes(*this, node));
  if (auto value = EvaluatePartialConstant(*this, node)) {
    known_[node.id] = std::move(value);
  } else {
    known_.erase(node.id);
  }
  return Status();
}

Status Graph::InferShapes() {
  DF_ASSIGN(const std::vector<NodeId> order, TopologicalOrder());
  LoopShapes loops;
  for (;;) {
    Status status = InferInOrder(order, loops);
    // A shape that does not hold after the first iteration may be the cause of an error.
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
