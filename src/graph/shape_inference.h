// Runs the shape function of one node.
#ifndef DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_
#define DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_

#include "src/graph/graph.h"

namespace dfrun {

// Sets node.output_shapes from the shapes and known values of its inputs in `graph`. An input that is not connected yet
// has an unknown shape. The back edge into a Merge counts as having the shape that enters the loop; the caller checks
// whether that holds. After an error the shapes are as before.
Status InferNodeShapes(const Graph& graph, Node& node);

// The part that two shapes have in common: their rank and the sizes in which they agree.
PartialShape CommonShape(const PartialShape& a, const PartialShape& b);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_SHAPE_INFERENCE_H_
