// The layout that BiasAdd reads from its attrs and inputs.
#ifndef DFRUN_KERNELS_NN_BIAS_BIAS_H_
#define DFRUN_KERNELS_NN_BIAS_BIAS_H_

#include "kernels/nn/channel_layout.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// True if a BiasAdd has its channels before space. BiasAddV1 has no data_format, and its channels are last.
inline bool IsBiasOfChannelsFirst(KernelSetup& setup) {
  const Result<std::string> format = setup.attrs().GetOr<std::string>("data_format", "NHWC");
  return format.ok() && *format == "NCHW";
}

// The layout of `x`. InvalidArgument unless `bias` is a vector with an element a channel.
inline Result<ChannelLayout> LayoutOfBias(const Shape& x, const Shape& bias, bool channels_first) {
  DF_ASSIGN(const ChannelLayout layout, ChannelLayout::Of(x, channels_first));
  if (bias.rank() == 1 && bias[0] == layout.channels) return layout;
  return InvalidArgument("BiasAdd: a bias of shape ", bias, " does not fit the ", layout.channels, " channels of ", x);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_BIAS_BIAS_H_
