// Graphs for TensorFlow: finds ops that it lacks, and replaces them by ops that it has.
#ifndef DFRUN_SRC_PASSES_EXPORT_PORTABLE_H_
#define DFRUN_SRC_PASSES_EXPORT_PORTABLE_H_

#include "src/graph/graph.h"

namespace dfrun {

// Returns Unimplemented where the graph has ops of dfrun's own; names each node.
Status CheckPortable(const Graph& graph);

// Returns the graph in TensorFlow's ops, by the form that each op's definition gives
// (src/framework/op/portable_form.h):
// Gelu and LayerNorm by their formulas, readers of samples as Placeholders to feed. Names of nodes stay. A component of
// a reader that an Identity names, as those of a spec's inputs are, becomes a placeholder of that name; the k-th
// component of a reader `r` that none names is `r/component_k`. Unimplemented where an op has no such form; names each
// node.
Result<Graph> MakePortable(const Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_EXPORT_PORTABLE_H_
