// ConvKind: the one of a convolution's three tensors that is computed from the two others.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_KIND_H_
#define DFRUN_KERNELS_NN_CONV_CONV_KIND_H_

namespace dfrun {

enum class ConvKind { kForward, kBackpropInput, kBackpropFilter };

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_CONV_KIND_H_
