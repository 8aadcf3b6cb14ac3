// The gradient of batch normalisation.
#ifndef DFRUN_KERNELS_NN_NORM_BATCH_NORM_GRADIENT_H_
#define DFRUN_KERNELS_NN_NORM_BATCH_NORM_GRADIENT_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

// The gradient of FusedBatchNorm and its later versions, by x, scale and offset, and by mean and variance where the
// results depend on them. Op `op` gives the gradient of y. The reserve spaces have none, since only `op` reads them.
GradientFn BatchNormGradient(const char* op);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_NORM_BATCH_NORM_GRADIENT_H_
