// Clones of nodes for the gradients that read them, so that the nodes' own values need not be kept.
// Source: TensorFlow white paper (2015) section 4.1: "recompute tensors instead of retaining them".
#ifndef DFRUN_SRC_PASSES_RECOMPUTE_CLONES_H_
#define DFRUN_SRC_PASSES_RECOMPUTE_CLONES_H_

#include <vector>

#include "src/passes/recompute/gradient_step.h"

namespace dfrun {

// Lets late nodes read, instead of the values of chosen nodes, those of clones, which read clones of chosen nodes
// themselves and the values of others. chosen[id] is true only where step.MayRecompute(id). A clone is named
// `<node>/recomputed`; it has the node's place and control inputs.
//
// A clone waits, by control edges, for the gradient that the first of its late readers waits for, and for all late
// nodes before that, unless it reads clones that wait no less. So it does not run early, with any number of threads,
// and is no common subexpression of the node. A node for which there is no such gradient is not cloned. No cycle comes
// of it: in the step's order each clone stands just before the first late node that needs it, and all edges lead
// onwards. Returns the nodes that were cloned. After an error the graph is of no use.
Result<std::vector<NodeId>> CloneForGradients(const GradientStep& step, const std::vector<bool>& chosen, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_RECOMPUTE_CLONES_H_
