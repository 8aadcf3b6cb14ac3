// The gradient of a loss by its logits, times what each row's loss counts, as one node.
#ifndef DFRUN_SRC_PASSES_SCALE_LOSSES_H_
#define DFRUN_SRC_PASSES_SCALE_LOSSES_H_

#include "src/graph/graph.h"

namespace dfrun {

// A (Sparse)SoftmaxCrossEntropyWithLogits of float or double whose gradient nothing reads but a Mul by a constant
// column becomes a _Scaled one with it, with the same bits: a mean's gradient goes over the logits once less. Needs
// FoldConstants(), which makes the column one.
Status ScaleLosses(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_SCALE_LOSSES_H_
