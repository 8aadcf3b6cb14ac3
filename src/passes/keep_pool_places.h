// Max pooling behind a convolution that keeps where its largest elements were, in place of the images.
#ifndef DFRUN_SRC_PASSES_KEEP_POOL_PLACES_H_
#define DFRUN_SRC_PASSES_KEEP_POOL_PLACES_H_

#include "src/graph/graph.h"

namespace dfrun {

// Where all that reads the result of a _FusedConv2DMaxPool are gradients of its pooling, and windows tile the images,
// it becomes a _FusedConv2DMaxPoolPlaces, and they become _MaxPoolGradAtPlaces and _ConvBiasMaxPoolGradAtPlaces, with
// the same bits: a byte for each window and channel is written and read in place of all its pixels, often a network's
// largest tensors. Needs FuseMaxPools(), FusePoolGradients() and FuseFilterGradients().
Status KeepPoolPlaces(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_KEEP_POOL_PLACES_H_
