// Arithmetic on values of 16 bits in the nodes that `train:` adds to a graph. Sums over replicas or rows, and norms of
// them, are computed in float32: the values are cast before, and the results are cast back where a variable takes them.
#ifndef DFRUN_SRC_TRAINING_NARROW_VALUES_H_
#define DFRUN_SRC_TRAINING_NARROW_VALUES_H_

#include <string>

#include "src/graph/graph_ops.h"

namespace dfrun {

// The dtype in which values of `dtype` are summed: float32 for one of 16 bits, else `dtype`.
DType SumDType(DType dtype);

// `value`, which is `from`, as `to`: a node `name` where these differ. Invalid where `value` is.
Output CastTo(GraphOps& ops, const std::string& name, Output value, DType from, DType to);

// `value` in its SumDType(), computed where it is; itself where it has that dtype.
Result<Output> WidenWhereItIs(Graph& graph, Output value);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_NARROW_VALUES_H_
