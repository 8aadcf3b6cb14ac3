// Runs the shape function of one node.
#ifndef DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_
#define DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_

#include "src/graph/graph.h"

namespace dfrun {

// Sets node.output_shapes from the shapes and known values of its inputs in `graph`. An input that is not connected yet
// has an unknown shape. The back edge into a Merge counts as having the shape of what enters the loop: whether that
// holds is for the caller to see. After an error the shapes are as before.
Status InferNodeShapes(const Graph& graph, Node& node);

// What holds of a tensor that has the one shape or the other: the rank and the sizes in which they agree.
PartialShape CommonShape(const PartialShape& a, const PartialShape& b);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_
