// Convolution as matrix products over unfolded windows (im2col), for what oneDNN lacks (float64, int32, machines
// without it) and for the float gradient by an input of few channels, where it is faster.
#ifndef DFRUN_KERNELS_NN_CONV_IM2COL_CONV_H_
#define DFRUN_KERNELS_NN_CONV_IM2COL_CONV_H_

#include "kernels/nn/conv/conv.h"

namespace dfrun {

// T: float, double, int32_t.
template <class T>
std::shared_ptr<const Conv<T>> MakeIm2colConv(ConvKind kind, const ConvShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_IM2COL_CONV_H_
