// The shapes of the losses of classifiers.
#ifndef DFRUN_KERNELS_NN_SOFTMAX_CROSS_ENTROPY_H_
#define DFRUN_KERNELS_NN_SOFTMAX_CROSS_ENTROPY_H_

#include "src/framework/values/shape.h"

namespace dfrun {

// The matrix that logits and labels of SoftmaxCrossEntropyWithLogits repeat to; InvalidArgument where there is none.
Result<Shape> ShapeOfCrossEntropy(const Shape& logits, const Shape& labels);

// InvalidArgument unless the logits are a matrix and each of its rows has one label.
Status CheckSparseCrossEntropy(const Shape& logits, const Shape& labels);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_SOFTMAX_CROSS_ENTROPY_H_
