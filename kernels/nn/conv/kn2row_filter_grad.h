// The gradient of a filter as matrix products, one a tap (kn2row): the input's pixels under the tap, transposed, by the
// pixels of the output's gradient. Rows are read in place; padding takes no time.
#ifndef DFRUN_KERNELS_NN_CONV_KN2ROW_FILTER_GRAD_H_
#define DFRUN_KERNELS_NN_CONV_KN2ROW_FILTER_GRAD_H_

#include "kernels/nn/conv/conv.h"

namespace dfrun {

// Null for a shape whose gradient takes oneDNN less time.
std::shared_ptr<const Conv<float>> MakeKn2rowFilterGrad(const ConvShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_KN2ROW_FILTER_GRAD_H_
