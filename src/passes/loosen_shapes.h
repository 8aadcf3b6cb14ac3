// Shapes that variables declare and need not keep.
#ifndef DFRUN_SRC_PASSES_LOOSEN_SHAPES_H_
#define DFRUN_SRC_PASSES_LOOSEN_SHAPES_H_

#include "src/graph/graph.h"

namespace dfrun {

// Loosens the shapes of variables that may get values of other shapes. An assignment without validate_shape gives a
// variable the shape of its value, and so does the first assignment of one behind a handle. Where the graph assigns
// values of shapes that are not known to be the declared one, the variable's `shape` becomes the common part of both,
// and the shapes that follow from it are inferred again: plans rely on no more. Values restored from a file count as
// the variable's own: a value of another shape ends the step that reads it with an error. Source: TensorFlow, whose
// kernels look at the actual shapes.
Status LoosenVariableShapes(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_LOOSEN_SHAPES_H_
