// Terms of the gradients of batch normalisation, in float: images, and numbers by channel in columns, a shape that
// broadcasts against images.
#ifndef DFRUN_KERNELS_NN_NORM_CHANNEL_TERMS_H_
#define DFRUN_KERNELS_NN_NORM_CHANNEL_TERMS_H_

#include <string>

#include "src/framework/op/gradient.h"

namespace dfrun {

// Terms of a gradient by channels, for a node with the attrs data_format and epsilon.
class ChannelTerms {
 public:
  explicit ChannelTerms(GradientBuilder& g) : g_(g), data_format_(g.attr<std::string>("data_format")) {}

  Output Add(Output a, Output b) { return g_.Op("AddV2", a, b); }
  Output Sub(Output a, Output b) { return g_.Op("Sub", a, b); }
  Output Mul(Output a, Output b) { return g_.Op("Mul", a, b); }
  Output Scaled(Output value, double factor) { return Mul(value, g_.ScalarLike(value, factor)); }
  // 1 over the standard deviation.
  Output Rsqrt(Output variance);

  Output Cast(Output value, DType to);
  Output Wide(Output value) { return Cast(value, DType::kFloat); }
  // The vector, which has an element for each channel, in a shape that broadcasts over the images.
  Output Column(Output vector);
  // The mean of each channel.
  Output Mean(Output images);
  // The number of elements that a channel has in the images; `vector` has one element for each channel.
  Output CountOf(Output images, Output vector);

 private:
  GradientBuilder& g_;
  const std::string data_format_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_NORM_CHANNEL_TERMS_H_
