// The forward convolution of flat images of one channel: the first layer over grey images, for which oneDNN's kernels
// for channels-last images reach a sixth of what the machine can do.
#ifndef DFRUN_KERNELS_NN_CONV_SMALL_CIN_CONV_H_
#define DFRUN_KERNELS_NN_CONV_SMALL_CIN_CONV_H_

#include "kernels/nn/conv/conv.h"

namespace dfrun {

// Null for any other shape.
std::shared_ptr<const Conv<float>> MakeSmallCinConv(const ConvShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_SMALL_CIN_CONV_H_
