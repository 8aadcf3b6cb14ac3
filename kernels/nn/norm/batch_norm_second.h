// The gradient of the gradient of batch normalisation.
#ifndef DFRUN_KERNELS_NN_NORM_BATCH_NORM_SECOND_H_
#define DFRUN_KERNELS_NN_NORM_BATCH_NORM_SECOND_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

// The gradient of FusedBatchNormGrad and its later versions, by y_backprop, x and scale, and in inference by mean and
// variance too. In training the statistics are taken to be those of x, on which they depend, and not the op's inputs;
// TensorFlow does the same.
void BatchNormSecondGradient(GradientBuilder& g);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_NORM_BATCH_NORM_SECOND_H_
