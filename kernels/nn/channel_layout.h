// A tensor as [outer, channels, inner]: NHWC has inner = 1, NCHW outer = N.
#ifndef DFRUN_KERNELS_NN_CHANNEL_LAYOUT_H_
#define DFRUN_KERNELS_NN_CHANNEL_LAYOUT_H_

#include <string>

#include "src/framework/values/shape.h"

namespace dfrun {

struct ChannelLayout {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  // InvalidArgument for ranks below 2.
  static Result<ChannelLayout> Of(const Shape& shape, bool channels_first) {
    if (shape.rank() < 2)
      return InvalidArgument("a tensor of shape ", shape, " has no channels: it needs rank 2 or more");
    const int dim = channels_first ? 1 : shape.rank() - 1;
    ChannelLayout layout;
    for (int i = 0; i < dim; ++i) layout.outer *= shape[i];
    layout.channels = shape[dim];
    for (int i = dim + 1; i < shape.rank(); ++i) layout.inner *= shape[i];
    return layout;
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CHANNEL_LAYOUT_H_
