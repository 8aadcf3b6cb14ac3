// A convolution and the gradient of its input as matrix products, one a tap (kn2row): of the pixels under the tap, read
// and added to where they are, by the tap's part of the filter. Padding takes little time, pixels are copied once for
// all taps that read them, and the filter is copied as it is multiplied by, where oneDNN wants it in an order of its
// own first.
#ifndef DFRUN_KERNELS_NN_CONV_KN2ROW_CONV_H_
#define DFRUN_KERNELS_NN_CONV_KN2ROW_CONV_H_

#include "kernels/nn/conv/conv.h"

namespace dfrun {

// Makes the convolution for kForward or kBackpropInput. Null for a shape that takes oneDNN less time.
std::shared_ptr<const Conv<float>> MakeKn2rowConv(ConvKind kind, const ConvShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_KN2ROW_CONV_H_
