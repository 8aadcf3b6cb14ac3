// A sum of matrix products as one node, which keeps the sum in the cache: gradients of a matrix that is used many
// times.
#ifndef DFRUN_SRC_PASSES_FUSE_PRODUCT_SUMS_H_
#define DFRUN_SRC_PASSES_FUSE_PRODUCT_SUMS_H_

#include "src/base/status.h"
#include "src/graph/graph.h"

namespace dfrun {

// AddN of MatMuls (each perhaps by an Identity, as TensorFlow's gradients have it) that nothing else reads, of one
// device and equally transposed, becomes a _MatMulSum, with the same bits. Products of variables that are read where
// they are used stay, since their time of reading must; so does all in a graph whose registry has no such op.
Status FuseProductSums(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSE_PRODUCT_SUMS_H_
