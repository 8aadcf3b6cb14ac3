// Convolution channel by channel, for types and machines that oneDNN lacks.
#ifndef DFRUN_KERNELS_NN_CONV_DEPTHWISE_CONV_H_
#define DFRUN_KERNELS_NN_CONV_DEPTHWISE_CONV_H_

#include "kernels/nn/conv/conv.h"

namespace dfrun {

// Null unless every input channel is a group of its own and channels come last. T: float, double.
template <class T>
std::shared_ptr<const Conv<T>> MakeDepthwiseConv(ConvKind kind, const ConvShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_DEPTHWISE_CONV_H_
