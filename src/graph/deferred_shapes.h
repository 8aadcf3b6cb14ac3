// Shapes that only code needs which may not run.
#ifndef DFRUN_SRC_GRAPH_DEFERRED_SHAPES_H_
#define DFRUN_SRC_GRAPH_DEFERRED_SHAPES_H_

#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Tells for each node whether it is in a branch of a conditional or in the body of a loop, which a step may leave out.
Result<std::vector<bool>> FindConditional(const Graph& graph);

// Passes `value` through a new node, beside its source, that hides its shape: its readers then check the shape as they
// run. The value must be no handle.
Result<Output> HideShape(Graph& graph, Output value);

// Infers shapes as Graph::InferShapes(), except at nodes that may not run: if the known shapes of their inputs do not
// fit, they are hidden from the node, so that the error arises only in a step that runs it. Source: TensorFlow, which
// infers nothing from fed values.
Status InferShapesOfWhatRuns(Graph& graph);
// Infers shapes likewise in a graph of which a run may leave out any node.
Status InferShapesOfWhatMayRun(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_DEFERRED_SHAPES_H_
