// Convolutions with a large filter and their filter's gradient, by slices of the output's channels.
//
// A slice of the filter stays in a core's cache while images pass by, where the whole one would come from memory for
// every few of them, and its way into oneDNN's order is split over the pool too. The filter's gradient needs no partial
// sums, and has a block for each slice where the images would make one or two. One thread takes 0.85 (forward) and 0.92
// (filter) of the time of blocks of images (3x3, 256 to 512 channels, 16 images of 14x14, step 2).
#ifndef DFRUN_KERNELS_NN_SLICED_CONV_H_
#define DFRUN_KERNELS_NN_SLICED_CONV_H_

#include "kernels/nn/conv.h"

namespace dfrun {

// Null for a shape that is not worth it, or that oneDNN lacks.
std::shared_ptr<const Conv<float>> MakeSlicedConv(ConvKind kind, const ConvShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_SLICED_CONV_H_
