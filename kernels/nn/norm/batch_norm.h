// Helpers of batch normalisation and its gradient. All is computed in float, with sums in double; 16-bit images are
// widened first. Source: TensorFlow's FusedBatchNorm and FusedBatchNormGrad.
#ifndef DFRUN_KERNELS_NN_NORM_BATCH_NORM_H_
#define DFRUN_KERNELS_NN_NORM_BATCH_NORM_H_

#include "kernels/nn/channel_layout.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/op/inference.h"

namespace dfrun {

// The attrs that both kinds of op have.
struct BatchNormAttrs {
  explicit BatchNormAttrs(KernelSetup& setup);
  // Images of this shape, whose rank is data_format's.
  Result<ChannelLayout> Layout(const Shape& images) const;

  double epsilon = 0;
  std::string data_format;
  bool is_training = false;
};

// 4, or 5 for data formats with a depth.
int BatchNormRank(const std::string& data_format);

// reserve_space_3 of FusedBatchNormV3, and the last two outputs of the gradients, hold nothing. The first is a scalar,
// as TensorFlow's own kernels give it (oneDNN's give [0]); the others have the shapes of TensorFlow's CPU kernels: [0]
// or scalars, by the rank and the version of the op.
inline Shape ReserveShape() {
  return {};
}
Shape GradReserveShape(int rank, bool is_v3, DType images);

// InvalidArgument unless `tensor`, called `name`, has an element a channel.
Status CheckChannels(const OpContext& ctx, const char* name, const Tensor& tensor, int64_t channels);

// Checks the inputs beside x. `reads_statistics`: mean and variance have an element a channel; else they are only
// vectors.
Status CheckBatchNorm(const OpContext& ctx, int64_t channels, bool reads_statistics);
Status CheckBatchNormGrad(const OpContext& ctx, int64_t channels);

// bfloat16 and float16 as float in new memory; float as it is.
Result<Tensor> WidenedImages(OpContext& ctx, const Tensor& images);

// A float buffer for the results that become output 0: the output's own memory where it is float, else scratch memory.
class ImageOutput {
 public:
  Status Allocate(OpContext& ctx, const Shape& shape);
  float* data() { return wide_.data<float>(); }
  // Rounds to the output's dtype where that is narrower.
  void Finish(OpContext& ctx);

 private:
  Tensor* output_ = nullptr;
  Tensor wide_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_NORM_BATCH_NORM_H_
