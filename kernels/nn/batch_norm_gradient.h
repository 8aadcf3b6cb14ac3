// The gradient of batch normalisation.
#ifndef DFRUN_KERNELS_NN_BATCH_NORM_GRADIENT_H_
#define DFRUN_KERNELS_NN_BATCH_NORM_GRADIENT_H_

#include "src/framework/gradient.h"

namespace dfrun {

// Of FusedBatchNorm and its later versions, of which `op` gives the gradient of y: by x, scale and offset, and by mean
// and variance where the results depend on these. The reserve spaces, which `op` alone reads, have none.
GradientFn BatchNormGradient(const char* op);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_BATCH_NORM_GRADIENT_H_
