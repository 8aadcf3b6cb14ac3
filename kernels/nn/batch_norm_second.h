// The gradient of the gradient of batch normalisation.
#ifndef DFRUN_KERNELS_NN_BATCH_NORM_SECOND_H_
#define DFRUN_KERNELS_NN_BATCH_NORM_SECOND_H_

#include "src/framework/gradient.h"

namespace dfrun {

// Of FusedBatchNormGrad and its later versions, by y_backprop, x and scale, in inference by mean and variance too. As
// TensorFlow's, in training the statistics are taken to be those of x, on which they depend, and not the op's inputs.
void BatchNormSecondGradient(GradientBuilder& g);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_BATCH_NORM_SECOND_H_
