// Shapes that only code needs which may not run.
#ifndef DFRUN_SRC_GRAPH_DEFERRED_SHAPES_H_
#define DFRUN_SRC_GRAPH_DEFERRED_SHAPES_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// By node: whether it is in a branch of a conditional or in the body of a loop, which a step may leave out.
Result<std::vector<bool>> FindConditional(const Graph& graph);

// `value` by way of a node that says nothing of its shape, beside its source: who reads it checks the shape as it runs.
// For values that are no handles.
Result<Output> HideShape(Graph& graph, Output value);

// Graph::InferShapes(), but for nodes that may not run: where what is known of their inputs cannot be, that is hidden
// from them, so that it is an error of the step that runs them. Source: TensorFlow, which infers nothing from what is
// fed.
Status InferShapesOfWhatRuns(Graph& graph);
// Infers shapes likewise in a graph of which a run may leave out any node.
Status InferShapesOfWhatMayRun(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_DEFERRED_SHAPES_H_
