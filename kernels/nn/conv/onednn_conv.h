// Convolution by oneDNN, for float and bfloat16.
#ifndef DFRUN_KERNELS_NN_CONV_ONEDNN_CONV_H_
#define DFRUN_KERNELS_NN_CONV_ONEDNN_CONV_H_

#include "kernels/nn/conv/conv.h"

namespace dfrun {

// Unimplemented where oneDNN is not built in or has no such convolution on this machine. T is float or bfloat16.
// `flipped`: as OneDnnConvPrimitive's.
template <class T>
Result<std::shared_ptr<const Conv<T>>> MakeOneDnnConv(ConvKind kind, const ConvShape& shape, bool flipped = false);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_ONEDNN_CONV_H_
