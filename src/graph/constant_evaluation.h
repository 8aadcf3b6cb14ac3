// Finds the values of a graph that are known before a step runs.
#ifndef DFRUN_SRC_GRAPH_CONSTANT_EVALUATION_H_
#define DFRUN_SRC_GRAPH_CONSTANT_EVALUATION_H_

#include <memory>

#include "src/graph/graph.h"
#include "src/graph/partial_constant.h"

namespace dfrun {

// The known part of an integer vector that is read as a shape, if only its rank; an element -1 is an unknown size. Of
// unknown rank for a scalar and for an open input.
PartialShape ConstantPartialShape(const Graph& graph, Output sizes);

// The known values of the outputs of `node`, whose inputs are in `graph`; null if nothing is known.
std::shared_ptr<const PartialConstant> EvaluatePartialConstant(const Graph& graph, const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_CONSTANT_EVALUATION_H_
