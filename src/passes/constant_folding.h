// Computes once, before any step, what does not change from step to step.
#ifndef DFRUN_SRC_PASSES_CONSTANT_FOLDING_H_
#define DFRUN_SRC_PASSES_CONSTANT_FOLDING_H_

#include <cstdint>

#include "src/framework/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

// Replaces by Consts
//  * nodes whose inputs are all constant, by running their kernels on `device`, a CPU;
//  * integer scalars and vectors that shape inference knows (Shape of a value whose shape is static), in graphs without
//    control flow, where they may stand in another frame than what they are computed from.
// Left alone: stateful nodes, refs, nodes with control inputs or constrained to another type of device, results whose
// size is not known beforehand or above `max_bytes`, and nodes whose kernel is not there or fails (the step will say
// why). Nodes that nothing reads any more go, stateful ones and those that update
// variables aside. A Const has the name of the node that it replaces
// (output k > 0: `name/_k`).
Status FoldConstants(Graph& graph, const KernelRegistry& kernels, Device& device, int64_t max_bytes);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_CONSTANT_FOLDING_H_
