// Runs the shape function of one node.
#ifndef DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_
#define DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_

#include "src/graph/graph.h"

namespace dfrun {

// Sets node.output_shapes from the shapes and known values of its inputs in `graph`. The input of a back edge and one
// that is not connected yet have an unknown shape. After an error the shapes are as before.
Status InferNodeShapes(const Graph& graph, Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_
