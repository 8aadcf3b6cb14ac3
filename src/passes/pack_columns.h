// Columns that are taken from many matrices to be put together: one node copies them to their place at once. The
// gradients of what an unrolled recurrent net reads are such.
#ifndef DFRUN_SRC_PASSES_PACK_COLUMNS_H_
#define DFRUN_SRC_PASSES_PACK_COLUMNS_H_

#include "src/base/status.h"
#include "src/graph/graph.h"

namespace dfrun {

// Pack, along its first or second dimension, of Slices (each perhaps by an Identity, as TensorFlow's gradients have it)
// that nothing else reads, of the same columns of matrices of one shape and device, becomes a _PackColumns. Slices of
// variables stay, since their time of reading must; so does all in a graph whose registry has no such op.
Status PackColumns(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_PACK_COLUMNS_H_
