// Shape functions of pooling.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_INFERENCE_H_
#define DFRUN_KERNELS_NN_POOL_POOL_INFERENCE_H_

#include "src/framework/op/inference.h"

namespace dfrun {

// Every output is input 0 after pooling by the attrs ksize and strides.
Status PoolOutputShape(InferenceContext& c);
// Every output is the average pooling of input 0, which may have no channels.
Status AveragePoolOutputShape(InferenceContext& c);
// Every output is the pooling of input 0 by the vector inputs 1 (ksize) and 2 (strides), as far as they are known.
Status PoolV2OutputShape(InferenceContext& c);

// orig_input, orig_output, grad like the latter: the result is like orig_input. Images have kRank dimensions.
template <int kRank>
Status PoolGradShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape input, c.WithRank(0, kRank));
  DF_ASSIGN(const PartialShape output, c.WithRank(1, kRank));
  DF_TRY(output.Merge(c.input(2)).status());
  c.set_output(0, std::move(input));
  return Status();
}

// orig_input, orig_output, grad like the former: the result is like orig_output. Windows and strides are attrs, or the
// vector inputs 3 and 4.
Status PoolGradGradShape(InferenceContext& c);

// orig_input_shape, grad: the result has that shape.
template <int kRank>
Status AvgPoolGradShape(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 1).status());
  DF_TRY(c.WithRank(1, kRank).status());
  const PartialShape shape = c.input_as_shape(0);
  if (shape.known_rank() && shape.rank() != kRank) {
    return InvalidArgument("orig_input_shape must hold ", kRank, " sizes, but is ", shape);
  }
  c.set_output(0, shape.known_rank() ? shape : PartialShape::UnknownOfRank(kRank));
  return Status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_POOL_INFERENCE_H_
